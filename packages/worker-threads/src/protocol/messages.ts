/**
 * What the client's thread and a thread of the pool say to each other. Messages are tuples of texts and numbers: they
 * are cheap to copy, and nothing in them can fail to arrive or run anybody's code on the way. The one exception is the
 * arguments of a job that are no JSON, which were checked before.
 */
import type { MessagePort } from "node:worker_threads";
import type { LogLevel } from "riverqueue";

/** The first message of a thread's life, on its parent port; everything else goes over `port`. */
export interface Introduction {
  readonly port: MessagePort;
  /** Number of the thread in its pool, by which it marks what it has taken. Positive. */
  readonly thread: number;
  /** Memory of the pool's `TaskBoard`. */
  readonly board: SharedArrayBuffer;
  /** See `thread-cells.ts`. */
  readonly cells: Int32Array;
  /** Whether handlers get a client that inserts. */
  readonly inserts: boolean;
  /** When the thread takes no further task. */
  readonly limits: ThreadLimits;
}

/** What a thread is used for at most; `Infinity` where there is no limit. */
export interface ThreadLimits {
  readonly attempts: number;
  readonly ageMs: number;
  /** Heap in use between two attempts. */
  readonly heapBytes: number;
}

/** How decoded arguments cross: as JSON text, or as a structured clone. */
export type ArgsForm = "clone" | "json";

/** What a thread needs to run one attempt. */
export interface Task {
  /** See `placeText`. */
  readonly handler: string;
  /** The job and its execution, see `encodeJob`. */
  readonly job: string;
  /** Arguments that are no JSON, to be cloned; null when they are in the job's text. */
  readonly clonedArgs: { readonly value: unknown } | null;
}

/** Number of a posted task: a positive integer of 31 bits. */
export type Ticket = number;

/** From the client's thread. */
export type ToThread =
  /** There may be a task on the board. Sent to threads whose event loop has nothing to do. */
  | readonly [type: "look"]
  /** What the board had no place for; null when the client has taken the task back. */
  | readonly [type: "task", ticket: Ticket, task: Task | null]
  | readonly [type: "abort", ticket: Ticket, reason: string]
  | readonly [type: "inserted", call: number, results: string | null, error: ThreadFault | null];

/** From a thread. */
export type FromThread =
  /** The thread can run tasks. */
  | readonly [type: "ready"]
  /** The thread has taken a task whose text is not on the board. */
  | readonly [type: "fetch", ticket: Ticket]
  | readonly [type: "log", ticket: Ticket, level: LogLevel, message: string, attributes: string | null]
  | readonly [type: "output", ticket: Ticket, json: string]
  | readonly [type: "metadata", ticket: Ticket, key: string, json: string]
  | readonly [type: "insert", ticket: Ticket, call: number, items: readonly InsertCall[]]
  /** The handler has succeeded. */
  | readonly [type: "done", ticket: Ticket, outcome: string | null]
  /** The attempt has failed and the thread goes on. */
  | readonly [type: "failed", ticket: Ticket, fault: ThreadFault]
  /** The thread ends, because of an error that nobody caught while a task ran. */
  | readonly [type: "died", ticket: Ticket, fault: ThreadFault]
  /** An error that nobody caught, of a task that has ended, or of none when `ticket` is 0. */
  | readonly [type: "stray", ticket: Ticket, jobId: string, fault: ThreadFault]
  /** The thread would take another task and does not: the client is to end it. */
  | readonly [type: "leaving"];

/** One job that a handler inserts. */
export interface InsertCall {
  readonly kind: string;
  readonly argsForm: ArgsForm;
  readonly args: unknown;
  /** JSON text, see `encodeInsertOptions`; null when there are none. */
  readonly options: string | null;
}

/** What failed: the handler itself, loading its module, or finding the export in it. */
export type FaultOrigin = "export" | "handler" | "module";

/** A thrown value, reduced to texts. */
export interface ThreadFault {
  readonly origin: FaultOrigin;
  readonly name: string;
  readonly message: string;
  /** Name and message when there is none. */
  readonly stack: string;
  /** Whether the value, or something in its chain of causes, is the reason of the attempt's abort. */
  readonly stopped: boolean;
}
