/**
 * A logger that never makes its caller wait: entries are buffered, sent to `async-logger` in groups, and written to the
 * key-value store by its consumer. What cannot be sent is counted and said, never lost in silence.
 */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { type DurationInput, readDuration } from "../kit/duration.ts";
import { OptionProblems } from "../kit/option-problems.ts";
import { systemTiming, type Timing } from "../kit/timing.ts";
import { within } from "../kit/within.ts";
import { splitMessages } from "../queues/split-messages.ts";
import type { OutgoingMessage, QueueSender } from "../seam/message-queue.ts";
import { encodeLogEntry, type LogEntry, newLogEntry } from "./log-entry.ts";
import { consoleLogger, LOG_LEVELS, type LogAttributes, type Logger, type LogLevel } from "./logger.ts";

/** Options of {@link createAsyncLogger}. */
export interface AsyncLoggerOptions {
  /** Of `async-logger`. */
  readonly queue: QueueSender;
  /** Hears every entry as well, and what goes wrong with sending; the console's warnings and errors unless given. */
  readonly logger?: Logger | undefined;
  /** Lowest level that is sent; `info` unless given. */
  readonly level?: LogLevel | undefined;
  /** Longest time that an entry is buffered; default 1 s. */
  readonly flushInterval?: DurationInput | undefined;
  /** Entries that make a flush at once, 1 to 1,000, default 50. */
  readonly flushSize?: number | undefined;
  /** Entries that wait at most, default 10,000; those beyond it are dropped and counted. */
  readonly bufferSize?: number | undefined;
  readonly now?: (() => Date) | undefined;
}

/** Figures of an {@link AsyncLogger}; every entry that was logged is in exactly one of them. */
export interface AsyncLoggerFigures {
  /** Waiting to be sent, or being sent. */
  readonly buffered: number;
  /** Taken by the queue. */
  readonly sent: number;
  readonly dropped: number;
}

/** A logger in pino's order that sends its entries away. */
export interface AsyncLogger extends Logger {
  readonly figures: AsyncLoggerFigures;
  /** This logger with attributes that every entry gets. Shares the buffer. */
  child(attributes: LogAttributes): Logger;
  /** This logger for an entry, with its request id; what is buffered then keeps the entry alive until it is sent. */
  forEntry(ctx: Pick<WorkerCtx, "entry" | "requestId" | "waitUntil">): Logger;
  /** Sends what is buffered. Resolves when it has been sent or dropped; never rejects. */
  flush(): Promise<void>;
  /** A last flush; entries logged afterwards are dropped and counted. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const KNOWN = ["queue", "logger", "level", "flushInterval", "flushSize", "bufferSize", "now"];
const TRIES = 3;
const PAUSE_MS = 100;
/** How long a queue may take to answer. What it takes after that all the same is an entry twice under one key. */
const ANSWER_MS = 10_000;

/**
 * Makes a logger.
 *
 * @throws ConfigurationError naming everything that is wrong with the options.
 */
export function createAsyncLogger(options: AsyncLoggerOptions, timing: Timing = systemTiming): AsyncLogger {
  const problems = new OptionProblems();
  const given = problems.object(options, "options", KNOWN);
  const queue = given["queue"] as Partial<QueueSender> | null | undefined;
  if (typeof queue?.send !== "function") problems.add("options.queue", "must have a function send");
  if (given["logger"] !== undefined) problems.logger(given["logger"], "options.logger");
  if (given["now"] !== undefined) problems.function(given["now"], "options.now");
  if (given["level"] !== undefined && !LOG_LEVELS.includes(given["level"] as LogLevel)) {
    problems.add("options.level", `must be one of ${LOG_LEVELS.join(", ")}`);
  }
  const paces = {
    flushIntervalMs: readDuration(problems, given["flushInterval"], "options.flushInterval", 1000, { maxMs: 60_000 }),
    flushSize: problems.integer(given["flushSize"], "options.flushSize", 50, { min: 1, max: 1000 }),
    bufferSize: problems.integer(given["bufferSize"], "options.bufferSize", 10_000, { min: 1, max: 1_000_000 }),
  };
  problems.throwConfiguration();
  const settings: LoggerSettings = {
    ...paces,
    queue: options.queue,
    logger: options.logger ?? consoleLogger,
    lowest: LOG_LEVELS.indexOf(options.level ?? "info"),
    now: options.now ?? (() => new Date()),
  };
  return new BufferingLogger(settings, timing);
}

/** The same for a queue that is known. */
export function createLoggerOf(
  queue: QueueSender,
  options: Omit<AsyncLoggerOptions, "queue"> = {},
  timing: Timing = systemTiming,
): AsyncLogger {
  // Spreading would make an empty object of what is none.
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
  return createAsyncLogger((isObject ? { ...options, queue } : options) as AsyncLoggerOptions, timing);
}

interface LoggerSettings {
  readonly queue: QueueSender;
  readonly logger: Logger;
  readonly lowest: number;
  readonly now: () => Date;
  readonly flushIntervalMs: number;
  readonly flushSize: number;
  readonly bufferSize: number;
}

class BufferingLogger implements AsyncLogger {
  readonly #settings: LoggerSettings;
  readonly #timing: Timing;
  #buffer: LogEntry[] = [];
  #sending = 0;
  #sequence = 0;
  #sent = 0;
  #dropped = 0;
  #closed = false;
  #cancelTimer: (() => void) | null = null;
  /** One flush at a time, so that entries stay in order. */
  #flushing: Promise<void> = Promise.resolve();

  constructor(settings: LoggerSettings, timing: Timing) {
    this.#settings = settings;
    this.#timing = timing;
  }

  get figures(): AsyncLoggerFigures {
    return Object.freeze({ buffered: this.#buffer.length + this.#sending, sent: this.#sent, dropped: this.#dropped });
  }

  debug(attributes: LogAttributes, message: string): void {
    this.#log("debug", attributes, message);
  }

  info(attributes: LogAttributes, message: string): void {
    this.#log("info", attributes, message);
  }

  warn(attributes: LogAttributes, message: string): void {
    this.#log("warn", attributes, message);
  }

  error(attributes: LogAttributes, message: string): void {
    this.#log("error", attributes, message);
  }

  child(attributes: LogAttributes): Logger {
    return this.#derived(attributes, () => {});
  }

  forEntry({ entry, requestId, waitUntil }: Pick<WorkerCtx, "entry" | "requestId" | "waitUntil">): Logger {
    let promised = false;
    return this.#derived({ entry, requestId }, () => {
      // One promise an entry point covers everything that is logged until the next turn of the event loop.
      if (promised) return;
      promised = true;
      waitUntil(
        Promise.resolve().then(() => {
          promised = false;
          return this.flush();
        }),
      );
    });
  }

  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#flushing = this.#flushing.then(() => this.#sendBuffered());
    return this.#flushing;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
    const { dropped } = this.figures;
    if (dropped > 0) this.#hear("error", { dropped }, "log entries were dropped before the logger was closed");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #derived(more: LogAttributes, logged: () => void): Logger {
    const level =
      (name: LogLevel) =>
      (attributes: LogAttributes, message: string): void => {
        this.#log(name, { ...more, ...attributes }, message);
        logged();
      };
    return Object.freeze({ debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") });
  }

  #log(level: LogLevel, attributes: LogAttributes, message: string): void {
    const { lowest, bufferSize, flushSize, flushIntervalMs } = this.#settings;
    this.#hear(level, attributes, message);
    if (LOG_LEVELS.indexOf(level) < lowest) return;
    if (this.#closed || this.#buffer.length >= bufferSize) {
      this.#drop(1, this.#closed ? "the logger is closed" : "too many entries wait");
      return;
    }
    const entry = this.#entryOf(level, attributes, message);
    if (entry === null) return;
    this.#buffer.push(entry);
    if (this.#buffer.length >= flushSize) void this.flush();
    else this.#cancelTimer ??= this.#timing.after(flushIntervalMs, () => void this.flush());
  }

  /** Null, and dropped, when `now` fails: an entry without a time has no place. */
  #entryOf(level: LogLevel, attributes: LogAttributes, message: string): LogEntry | null {
    try {
      // A copy, since a caller may set its date to something else.
      const time = new Date(this.#settings.now().getTime());
      if (!Number.isFinite(time.getTime())) throw new RangeError("now() returned an invalid date");
      return newLogEntry(level, attributes, message, { time, sequence: this.#sequence++ });
    } catch (error) {
      this.#drop(1, "there is no time to be had", error);
      return null;
    }
  }

  /** Never rejects: what comes after waits for it. */
  async #sendBuffered(): Promise<void> {
    const entries = this.#buffer;
    this.#buffer = [];
    if (entries.length === 0) return;
    this.#sending = entries.length;
    try {
      // One send at a time, so that what a queue has taken is counted as taken.
      for (const group of splitMessages(entries.map((entry) => ({ body: encodeLogEntry(entry) })))) {
        const failure = await this.#send(group);
        this.#sending -= group.length;
        if (failure === null) this.#sent += group.length;
        else this.#drop(group.length, "they could not be sent", failure.error);
      }
    } catch (error) {
      const left = this.#sending;
      this.#sending = 0;
      this.#drop(left, "they could not be sent", error);
    }
  }

  /** Null when the queue has them all. */
  async #send(messages: readonly OutgoingMessage[]): Promise<{ readonly error: unknown } | null> {
    for (let tries = 1; ; tries++) {
      try {
        await within(this.#timing, ANSWER_MS, () => this.#settings.queue.send(messages));
        return null;
      } catch (error) {
        if (tries >= TRIES) return { error };
      }
      await this.#timing.pause(PAUSE_MS * tries);
    }
  }

  #drop(count: number, reason: string, error?: unknown): void {
    this.#dropped += count;
    const attributes = { count, dropped: this.#dropped, ...(error !== undefined && { error }) };
    this.#hear("error", attributes, `log entries were dropped: ${reason}`);
  }

  /** A logger that fails must fail neither who logs nor a flush; the console is told instead. */
  #hear(level: LogLevel, attributes: LogAttributes, message: string): void {
    try {
      this.#settings.logger[level](attributes, message);
    } catch (error) {
      consoleLogger.error({ ...attributes, loggerError: error }, message);
    }
  }
}
