// Ctrl-C and SIGTERM. River installs no signal handlers: what they mean is the application's to say.

/** npm passes Ctrl-C on to a program that the terminal has told already, so that one key press arrives twice. */
const ECHO_MS = 500;

/** What the user has asked for. */
export interface StopSignals extends Disposable {
  /** Aborts at the first signal: finish what has begun. */
  readonly stop: AbortSignal;
  /** Aborts at the second: give that up, too. A third one ends the process. */
  readonly cancel: AbortSignal;
  /** 128 plus the number of the signal, as shells count; null when there was none. */
  readonly exitCode: number | null;
}

const SIGNAL_NUMBERS = { SIGINT: 2, SIGPIPE: 13, SIGTERM: 15 } as const;

/** Begins to listen. */
export function listenForStop(): StopSignals {
  const stop = new AbortController();
  const cancel = new AbortController();
  let exitCode: number | null = null;
  let firstAt = 0;
  const onSignal = (signal: keyof typeof SIGNAL_NUMBERS): void => {
    const now = performance.now();
    if (!stop.signal.aborted) {
      firstAt = now;
      exitCode = 128 + SIGNAL_NUMBERS[signal];
      stop.abort();
    } else if (now - firstAt >= ECHO_MS) {
      removeListeners();
      cancel.abort();
    }
  };
  const removeListeners = (): void => {
    process.removeListener("SIGINT", onSignal).removeListener("SIGTERM", onSignal);
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  // Whoever read the output has gone, as in `npm run demo | head -1`.
  process.stdout.on("error", () => onSignal("SIGPIPE"));
  return {
    stop: stop.signal,
    cancel: cancel.signal,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]: removeListeners,
  };
}
