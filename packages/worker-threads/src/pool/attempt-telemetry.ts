/**
 * Hands what a thread's handlers log and record on to the contexts of their attempts. Remembers the loggers of the latest
 * attempts, because what a handler has left behind may log, or fail, after its end.
 */
import { type JsonValue, parseJson, parseJsonObject, type WorkContext, type WorkLogger } from "riverqueue";
import type { FromThread, TaskNumber } from "../protocol/messages.ts";

/** A message that a handler's call has sent. */
export type TelemetryMessage = Extract<FromThread, readonly ["log" | "metadata" | "output", ...unknown[]]>;

/** See the file header. */
export class AttemptTelemetry {
  readonly #limit: number;
  readonly #loggers: Map<TaskNumber, WorkLogger> = new Map();
  #task: TaskNumber = 0;
  #context: WorkContext | null = null;

  /** @param limit - attempts whose loggers are remembered. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The thread is given an attempt. */
  begin(task: TaskNumber, context: WorkContext): void {
    this.#task = task;
    this.#context = context;
    this.#loggers.set(task, context.logger);
    this.#loggers.delete(task - this.#limit);
  }

  /** The attempt has ended: nothing of it is needed any more but its logger. */
  end(): void {
    this.#context = null;
  }

  /** @throws whatever the client's code throws. */
  record(message: TelemetryMessage): void {
    const [type, task, subject] = message;
    if (type === "log") {
      const logger = this.#loggers.get(task);
      const attributes = message[4];
      if (attributes === null) logger?.[message[2]](message[3]);
      else logger?.[message[2]](parseJsonObject(attributes), message[3]);
    } else if (task === this.#task) {
      if (type === "output") this.#context?.recordOutput(parseJson(subject));
      else this.#context?.setMetadata(subject, parseJson(message[3]));
    }
  }

  /** Logs an error that nobody caught, with the attempt whose code threw it if that is known. Never throws. */
  logStray(task: TaskNumber, jobId: string, thrown: Error): void {
    const own = this.#loggers.get(task);
    const logger = own ?? this.#loggers.get(this.#task);
    const whose = task === 0 ? "an attempt that cannot be told" : `the attempt of job ${jobId}, which has ended`;
    // The client's logger takes errors; only what crosses a thread has to be JSON.
    const attributes = { error: thrown as unknown as JsonValue };
    try {
      logger?.error(attributes, `nobody caught an error in a worker thread; it came from ${whose}`);
    } catch {
      // A logger that fails decides about nothing.
    }
  }
}
