/**
 * Runs tasks in a thread, one at a time. Owns the thread's port and what becomes of errors that nobody caught: they count
 * against the task whose code threw them, and against the running one only when they cannot be told to be another's.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { getHeapStatistics } from "node:v8";
import { receiveMessageOnPort } from "node:worker_threads";
import { faultOf } from "../protocol/fault-of.ts";
import type { FaultOrigin, FromThread, Introduction, TaskNumber, ToThread } from "../protocol/messages.ts";
import { send } from "../protocol/send.ts";
import { awaitTaskAfter, takeTask } from "../protocol/task-cells.ts";
import type { InsertChannel } from "./insert-channel.ts";
import { withCore } from "./load-core.ts";
import { type RunMessage, type TaskChannel, TaskRun } from "./task-run.ts";

/** How long a thread waits for its next task, and how long its event loop does not turn because of that, in milliseconds. */
const WAIT_MS = 2;
const TURN_MS = 10;

type Handler = (context: unknown) => PromiseLike<unknown> | undefined;
type Exports = Readonly<Record<string, unknown>>;

/** See the file header. */
export class TaskRunner {
  readonly #introduction: Introduction;
  readonly #channel: TaskChannel;
  /** Modules by URL, so that a loaded one is called without waiting. */
  readonly #modules: Map<string, Exports> = new Map();
  /** Tells the code of one task from that of another, however late it runs. */
  readonly #storage: AsyncLocalStorage<TaskRun> = new AsyncLocalStorage();
  #running: TaskRun | null = null;
  #lastTask: TaskNumber = 0;
  /** Until when tasks are taken without the event loop. */
  #turnEndsMs = 0;
  #inserts: InsertChannel | null = null;

  constructor(introduction: Introduction) {
    const { port, cells, inserts } = introduction;
    this.#introduction = introduction;
    const receive = (message: ToThread): void => this.#receive(message);
    const clientOf = (task: TaskNumber): unknown =>
      (this.#inserts ??= new (withCore().InsertChannel)(port)).clientOf(task);
    this.#channel = { port, cells, receive, clientOf: inserts ? clientOf : null };
  }

  /** Listens for tasks, for the rest of the thread's life. */
  begin(): void {
    process.on("uncaughtException", (error) => this.#uncaught(error));
    process.on("unhandledRejection", (reason) => this.#uncaught(reason));
    this.#introduction.port.on("message", (message: ToThread) => {
      this.#turnEndsMs = performance.now() + TURN_MS;
      this.#receive(message);
    });
    this.#post(["ready"]);
  }

  #receive(message: ToThread): void {
    if (message[0] === "run") this.#run(message);
    else if (message[0] === "inserted") this.#inserts?.receive(message);
    else if (this.#running?.task === message[1]) {
      const run = this.#running;
      this.#storage.run(run, () => run.abort(message[2]));
    }
  }

  #run(message: RunMessage): void {
    this.#lastTask = message[1];
    if (!takeTask(this.#introduction.cells, message[1])) return;
    const run = new TaskRun(message, this.#channel);
    this.#running = run;
    void this.#storage.run(run, this.#execute, run);
  }

  /** Never rejects. Waits for nothing when module and handler do not make it. */
  readonly #execute = async (run: TaskRun): Promise<void> => {
    let origin: FaultOrigin = "module";
    let outcome: string | null = null;
    try {
      const exports = this.#modules.get(run.moduleUrl) ?? (await this.#load(run.moduleUrl));
      origin = "export";
      const handler = handlerIn(exports, run.exportName);
      origin = "handler";
      const returning = handler(run.context);
      const returned = returning === undefined ? undefined : await returning;
      if (returned !== undefined) outcome = withCore().outcomeText(returned, run.job.kind);
    } catch (error) {
      const fault = faultOf(error, origin, run.wasStoppedBy(error));
      this.#end(run, ["failed", run.task, fault, this.#heapBytes()]);
      return;
    }
    this.#end(run, ["done", run.task, outcome, this.#heapBytes()]);
  };

  async #load(url: string): Promise<Exports> {
    const exports = (await import(url)) as Exports;
    this.#modules.set(url, exports);
    return exports;
  }

  #end(run: TaskRun, message: FromThread): void {
    this.#running = null;
    run.finish();
    this.#post(message);
    // After the microtasks that the handler has left.
    queueMicrotask(this.#takeNext);
  }

  /**
   * Under load the next task comes within microseconds. Waiting for it here saves both threads the way through the event
   * loop, which costs more than a short task. The loop turns again soon, for whatever else there is.
   */
  readonly #takeNext = (): void => {
    if (this.#running !== null || performance.now() >= this.#turnEndsMs) return;
    const { cells, port } = this.#introduction;
    if (!awaitTaskAfter(cells, this.#lastTask, WAIT_MS)) return;
    const next = receiveMessageOnPort(port);
    if (next !== undefined) this.#receive(next.message as ToThread);
  };

  #uncaught(error: unknown): void {
    const owner = this.#storage.getStore();
    const running = this.#running;
    if (running !== null && (owner === undefined || owner === running)) {
      this.#post(["died", running.task, faultOf(error, "handler", running.wasStoppedBy(error))]);
      process.exit(1);
    }
    this.#post(["stray", owner?.task ?? 0, String(owner?.job.id ?? ""), faultOf(error, "handler")]);
  }

  #heapBytes(): number {
    return this.#introduction.reportsHeap ? getHeapStatistics().used_heap_size : 0;
  }

  #post(message: FromThread): void {
    send(this.#introduction.port, message);
  }
}

function handlerIn(exports: Exports, name: string): Handler {
  const handler = exports[name];
  if (typeof handler !== "function") throw new TypeError(`ESM export ${JSON.stringify(name)} is not a function`);
  return handler as Handler;
}
