/**
 * Hands what a thread's handlers log and record on to the contexts of their attempts. Remembers the loggers of the latest
 * attempts, because what a handler has left behind may log, or fail, after its end.
 */
import { type JsonValue, parseJson, parseJsonObject, type WorkContext, type WorkLogger } from "riverqueue";
import type { FromThread, Ticket } from "../protocol/messages.ts";

/** A message that a handler's call has sent. */
export type TelemetryMessage = Extract<FromThread, readonly ["log" | "metadata" | "output", ...unknown[]]>;

interface Remembered {
  readonly ticket: Ticket;
  readonly logger: WorkLogger;
}

/** See the file header. */
export class AttemptTelemetry {
  readonly #limit: number;
  /** The oldest is overwritten by the next. */
  readonly #remembered: Remembered[] = [];
  #next = 0;

  /** @param limit - attempts whose loggers are remembered. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The attempt has ended: nothing of it is needed any more but its logger. */
  end(ticket: Ticket, { logger }: WorkContext): void {
    this.#remembered[this.#next] = { ticket, logger };
    this.#next = (this.#next + 1) % this.#limit;
  }

  /**
   * @param context - of the attempt; undefined when it has ended.
   * @throws whatever the client's code throws.
   */
  record(message: TelemetryMessage, context: WorkContext | undefined): void {
    const [type, ticket, subject] = message;
    if (type === "log") {
      const logger = context?.logger ?? this.#loggerOf(ticket);
      const attributes = message[4];
      if (attributes === null) logger?.[message[2]](message[3]);
      else logger?.[message[2]](parseJsonObject(attributes), message[3]);
    } else if (type === "output") context?.recordOutput(parseJson(subject));
    else context?.setMetadata(subject, parseJson(message[3]));
  }

  /**
   * Logs an error that nobody caught, with the attempt whose code threw it if that is known. Never throws.
   *
   * @param running - context of the attempt that the thread runs.
   */
  logStray(ticket: Ticket, jobId: string, thrown: Error, running: WorkContext | undefined): void {
    const latest = this.#remembered.at(this.#next - 1)?.logger;
    const logger = this.#loggerOf(ticket) ?? running?.logger ?? latest;
    const whose = ticket === 0 ? "an attempt that cannot be told" : `the attempt of job ${jobId}, which has ended`;
    // The client's logger takes errors; only what crosses a thread has to be JSON.
    const attributes = { error: thrown as unknown as JsonValue };
    try {
      logger?.error(attributes, `nobody caught an error in a worker thread; it came from ${whose}`);
    } catch {
      // A logger that fails decides about nothing.
    }
  }

  #loggerOf(ticket: Ticket): WorkLogger | undefined {
    return this.#remembered.find((one) => one.ticket === ticket)?.logger;
  }
}
