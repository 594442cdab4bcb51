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
  /** See `TaskCells`. */
  readonly cells: Int32Array;
  /** Whether handlers get a client that inserts. */
  readonly inserts: boolean;
  /** Whether the end of an attempt tells how much heap is used. */
  readonly reportsHeap: boolean;
}

/** How decoded arguments cross: as JSON text, or as a structured clone. */
export type ArgsForm = "clone" | "json";

/** What a thread needs to run one attempt. */
export interface Task {
  readonly moduleUrl: string;
  readonly exportName: string;
  /** The job and its execution, see `encodeJob`. */
  readonly job: string;
  /** Arguments that are no JSON, to be cloned; null when they are in the job's text. */
  readonly clonedArgs: { readonly value: unknown } | null;
}

/** Number of a task on its thread: 1, 2, 3 and so on. */
export type TaskNumber = number;

/** From the client's thread. */
export type ToThread =
  | readonly [type: "abort", task: TaskNumber, reason: string]
  | readonly [type: "inserted", call: number, results: string | null, error: ThreadFault | null]
  | readonly [
      type: "run",
      task: TaskNumber,
      moduleUrl: string,
      exportName: string,
      job: string,
      clonedArgs: Task["clonedArgs"],
    ];

/** From a thread. */
export type FromThread =
  /** The thread can run tasks. */
  | readonly [type: "ready"]
  | readonly [type: "log", task: TaskNumber, level: LogLevel, message: string, attributes: string | null]
  | readonly [type: "output", task: TaskNumber, json: string]
  | readonly [type: "metadata", task: TaskNumber, key: string, json: string]
  | readonly [type: "insert", task: TaskNumber, call: number, items: readonly InsertCall[]]
  /** The handler has succeeded. */
  | readonly [type: "done", task: TaskNumber, outcome: string | null, heapBytes: number]
  /** The attempt has failed and the thread can run others. */
  | readonly [type: "failed", task: TaskNumber, fault: ThreadFault, heapBytes: number]
  /** The thread ends, because of an error that nobody caught while a task ran. */
  | readonly [type: "died", task: TaskNumber, fault: ThreadFault]
  /** An error that nobody caught, of a task that has ended, or of none when `task` is 0. */
  | readonly [type: "stray", task: TaskNumber, jobId: string, fault: ThreadFault];

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
