/** One attempt inside a thread: its context, and what of it is sent to the client. */
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { JsonValue, LogLevel, WorkExecution, WorkLogFunction, WorkLogger } from "riverqueue";
import type { DecodedJob } from "../crossing/job-text.ts";
import { isStoppedBy } from "../protocol/fault-of.ts";
import type { FromThread, Task, Ticket, ToThread } from "../protocol/messages.ts";
import { send } from "../protocol/send.ts";
import { isTaskAborted } from "../protocol/thread-cells.ts";
import { withCore } from "./load-core.ts";

/** What all tasks of a thread share. */
export interface TaskChannel {
  readonly port: MessagePort;
  readonly cells: Int32Array;
  /** Handles a message that was taken off the port out of turn. */
  readonly receive: (message: ToThread) => void;
  /** Makes the client of a task; null when handlers get none. */
  readonly clientOf: ((ticket: Ticket, assertRunning: () => void) => unknown) | null;
}

/** Characters of a log message that are sent. */
const LOG_MESSAGE_LIMIT = 32_768;

/** See the file header. Everything is made when first looked at. */
export class TaskRun {
  readonly ticket: Ticket;
  readonly task: Task;
  /** What the handler is given. */
  readonly context: object;
  readonly #channel: TaskChannel;
  #isFinished = false;
  #decoded: DecodedJob | null = null;
  #logger: WorkLogger | null = null;
  #controller: AbortController | null = null;
  #reason: Error | null = null;

  constructor(ticket: Ticket, task: Task, channel: TaskChannel) {
    this.ticket = ticket;
    this.task = task;
    this.#channel = channel;
    this.context = channel.clientOf === null ? contextOf(this) : managedContextOf(this);
  }

  /** Whether the handler has settled. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** The client asks the handler to stop. */
  abort(reasonText: string): void {
    if (this.#isFinished || this.#reason !== null) return;
    this.#reason = withCore().decodeAbortReason(reasonText, this.job.id);
    this.#controller?.abort(this.#reason);
  }

  /** The handler has settled. */
  finish(): void {
    this.#isFinished = true;
  }

  /** Whatever of a handler that has settled still runs is asked to stop. */
  stopLeftovers(): void {
    if (this.#controller === null || this.#reason !== null) return;
    this.#reason = withCore().attemptFinished(this.job.id);
    this.#controller.abort(this.#reason);
  }

  /** Whether the handler, or what it has left behind, ended with `thrown` because it was asked to stop. */
  wasStoppedBy(thrown: unknown): boolean {
    return this.#reason !== null && isStoppedBy(thrown, this.#reason);
  }

  get execution(): WorkExecution {
    return this.#crossed.execution;
  }

  get job(): DecodedJob["job"] {
    return this.#crossed.job;
  }

  get logger(): WorkLogger {
    return (this.#logger ??= this.#makeLogger());
  }

  /** Of a managed pool only. */
  get client(): unknown {
    return this.#channel.clientOf?.(this.ticket, () => this.#assertRunning());
  }

  get #crossed(): DecodedJob {
    return (this.#decoded ??= withCore().decodeJob(this.task.job, this.task.clonedArgs));
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#isFinished) this.stopLeftovers();
      if (this.#reason !== null) this.#controller.abort(this.#reason);
      hearWhenAsked(this.#controller.signal, () => this.#hearAbort());
    }
    return this.#controller.signal;
  }

  /** Takes the abort off the port, for a handler that never lets the event loop do it. */
  #hearAbort(): void {
    const { port, cells, receive } = this.#channel;
    if (this.#reason !== null || this.#isFinished || !isTaskAborted(cells, this.ticket)) return;
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      receive(next.message as ToThread);
    }
  }

  recordOutput(output: JsonValue): void {
    this.#assertRunning();
    this.#post(["output", this.ticket, withCore().encodeOutput(output)]);
  }

  setMetadata(key: string, value: JsonValue): void {
    this.#assertRunning();
    this.#post(["metadata", this.ticket, key, withCore().encodeMetadata(key, value)]);
  }

  #assertRunning(): void {
    if (this.#isFinished) throw withCore().attemptFinished(this.job.id);
  }

  #makeLogger(): WorkLogger {
    const level = (name: LogLevel): WorkLogFunction => {
      return (attributes: unknown, message?: unknown): void => {
        if (typeof attributes === "string") this.#log(name, attributes, null, "");
        else {
          const { json, note } = withCore().encodeLogAttributes(attributes);
          this.#log(name, typeof message === "string" ? message : "", json, note);
        }
      };
    };
    return Object.freeze({ debug: level("debug"), error: level("error"), info: level("info"), warn: level("warn") });
  }

  /** Also after the end of the attempt: what is left of a handler may still log. */
  #log(level: LogLevel, message: string, attributes: string | null, note: string): void {
    this.#post(["log", this.ticket, level, message.slice(0, LOG_MESSAGE_LIMIT) + note, attributes]);
  }

  #post(message: FromThread): void {
    send(this.#channel.port, message);
  }
}

/** The documented members, as properties of the object itself, and nothing else. Its functions work when taken out. */
function contextOf(run: TaskRun): object {
  return {
    get execution() {
      return run.execution;
    },
    get job() {
      return run.job;
    },
    get logger() {
      return run.logger;
    },
    recordOutput: (output: JsonValue) => run.recordOutput(output),
    setMetadata: (key: string, value: JsonValue) => run.setMetadata(key, value),
    get signal() {
      return run.signal;
    },
  };
}

/** What a handler of a managed pool is given. */
function managedContextOf(run: TaskRun): object {
  return Object.defineProperty(contextOf(run), "client", { enumerable: true, get: () => run.client });
}

/** Makes a signal call `hear` whenever somebody asks whether it has aborted. */
function hearWhenAsked(signal: AbortSignal, hear: () => void): void {
  const { prototype } = AbortSignal;
  const asking = (name: "aborted" | "reason"): PropertyDescriptor => ({
    configurable: true,
    get(): unknown {
      hear();
      return Reflect.get(prototype, name, signal);
    },
  });
  const throwIfAborted = (): void => {
    hear();
    prototype.throwIfAborted.call(signal);
  };
  Object.defineProperties(signal, {
    aborted: asking("aborted"),
    reason: asking("reason"),
    throwIfAborted: { configurable: true, value: throwIfAborted },
  });
}
