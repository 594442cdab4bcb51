/**
 * Preloaded by a child process: its timers ring sooner, by the factor of the environment variable HURRY. So a client
 * with intervals that are no options of its driver goes through a minute in seconds.
 */
const factor = Number(process.env["HURRY"] ?? "1");
const { setTimeout: after, setInterval: every } = globalThis;

function hurried<Timer extends typeof setInterval | typeof setTimeout>(arm: Timer): Timer {
  return new Proxy(arm, {
    apply: (target, self, [callback, ms = 0, ...rest]: [() => void, number?, ...unknown[]]) =>
      Reflect.apply(target, self, [callback, ms / factor, ...rest]) as unknown,
  });
}

globalThis.setTimeout = hurried(after);
globalThis.setInterval = hurried(every);
