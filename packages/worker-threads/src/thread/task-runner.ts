/**
 * Runs tasks in a thread, one at a time, which it takes from the board of its pool. Owns the thread's port and what becomes
 * of errors that nobody caught: they count against the task whose code threw them, and against the running one only when
 * they cannot be told to be another's.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { getHeapStatistics } from "node:v8";
import { faultOf } from "../protocol/fault-of.ts";
import { type HandlerPlace, placeOf } from "../protocol/handler-place.ts";
import type { FaultOrigin, FromThread, Introduction, Task, Ticket, ToThread } from "../protocol/messages.ts";
import { afterMicrotasks, afterTurn, now } from "../protocol/own-globals.ts";
import { send } from "../protocol/send.ts";
import { TaskBoard } from "../protocol/task-board.ts";
import {
  becomeIdle,
  beginLooking,
  beginTask,
  doze,
  endTask,
  isLeaving,
  isLoadingFor,
  leave,
  markLoaded,
  markLoading,
} from "../protocol/thread-cells.ts";
import type { InsertChannel } from "./insert-channel.ts";
import { withCore } from "./load-core.ts";
import { type TaskChannel, TaskRun } from "./task-run.ts";
import { WatchCredit } from "./watch-credit.ts";

/** How long a thread looks for its next task without sleeping, in milliseconds. */
const WATCH_MS = 0.02;
/** How long its event loop does not turn because of tasks, and of sleeping for the next one, in milliseconds. */
const TURN_MS = 10;

type Handler = (context: unknown) => PromiseLike<unknown> | undefined;
type Exports = Readonly<Record<string, unknown>>;

/** See the file header. */
export class TaskRunner {
  readonly #introduction: Introduction;
  readonly #board: TaskBoard;
  readonly #channel: TaskChannel;
  readonly #places: Map<string, HandlerPlace> = new Map();
  /** Modules by URL, so that a loaded one is called without waiting. */
  readonly #modules: Map<string, Exports> = new Map();
  /** Tells the code of one task from that of another, however late it runs. */
  readonly #storage: AsyncLocalStorage<TaskRun> = new AsyncLocalStorage();
  /** The task that was taken and whose text is on its way; 0 when there is none. */
  #fetching: Ticket = 0;
  #running: TaskRun | null = null;
  #ended = 0;
  /** Until when tasks are taken without the event loop. */
  #turnEndsMs = 0;
  readonly #watching: WatchCredit = new WatchCredit();
  #inserts: InsertChannel | null = null;

  constructor(introduction: Introduction) {
    const { port, cells, inserts, board } = introduction;
    this.#introduction = introduction;
    this.#board = new TaskBoard(board);
    const receive = (message: ToThread): void => this.#receive(message);
    const clientOf = (ticket: Ticket, assertRunning: () => void): unknown =>
      (this.#inserts ??= new (withCore().InsertChannel)(port)).clientOf(ticket, assertRunning);
    this.#channel = { port, cells, receive, clientOf: inserts ? clientOf : null };
  }

  /** Takes tasks for the rest of the thread's life. */
  begin(): void {
    process.on("uncaughtException", (error) => this.#uncaught(error));
    process.on("unhandledRejection", (reason) => this.#uncaught(reason));
    this.#introduction.port.on("message", (message: ToThread) => this.#receive(message));
    this.#post(["ready"]);
    beginLooking(this.#introduction.cells);
    this.#turn();
  }

  #receive(message: ToThread): void {
    switch (message[0]) {
      case "look":
        return this.#turn();
      case "task":
        return this.#fetched(message[1], message[2]);
      case "abort":
        return this.#abort(message[1], message[2]);
      case "inserted":
        return this.#inserts?.receive(message);
    }
  }

  #abort(ticket: Ticket, reason: string): void {
    const run = this.#running;
    if (run?.ticket === ticket) this.#storage.run(run, () => run.abort(reason));
  }

  /** The event loop has turned. */
  readonly #turn = (): void => {
    this.#turnEndsMs = now() + TURN_MS;
    this.#look();
  };

  /**
   * Takes the next task, or waits for one. Under load it comes within microseconds, and to wait for it here costs less than
   * the way through the event loop. That turns again soon, for whatever else there is.
   */
  readonly #look = (): void => {
    const { cells } = this.#introduction;
    if (this.#running !== null || this.#fetching !== 0) return;
    if (isLeaving(cells)) return this.#post(["leaving"]);
    const leftMs = this.#turnEndsMs - now();
    if (leftMs > 0 && (this.#take() || this.#watch() || this.#doze(leftMs))) return;
    if (!becomeIdle(cells, this.#hasWork)) afterTurn(this.#turn);
  };

  #watch(): boolean {
    if (!this.#watching.isEnough()) return false;
    this.#board.watch(this.#introduction.thread, WATCH_MS);
    const hasFound = this.#take();
    this.#watching.note(hasFound);
    return hasFound;
  }

  #doze(ms: number): boolean {
    doze(this.#introduction.cells, ms, this.#hasWork);
    return this.#take();
  }

  readonly #hasWork = (): boolean => this.#board.hasTask || isLeaving(this.#introduction.cells);

  /** Takes the oldest task that waits and runs it. False when there is none, or the thread is being ended. */
  #take(): boolean {
    const { cells, thread } = this.#introduction;
    for (let found = this.#board.oldest(); found !== null; found = this.#board.oldest()) {
      const { place, ticket } = found;
      const hasText = this.#board.hasTextAt(place);
      if (!beginTask(cells, ticket)) return false;
      if (this.#board.take(found, thread)) {
        this.#begin(ticket, hasText ? this.#board.textAt(place) : null);
        return true;
      }
      // Somebody else was faster.
      endTask(cells, ticket);
    }
    return false;
  }

  #begin(ticket: Ticket, text: string | null): void {
    if (text === null) {
      this.#fetching = ticket;
      return this.#post(["fetch", ticket]);
    }
    const end = text.indexOf("\n");
    this.#run(ticket, { handler: text.slice(0, end), job: text.slice(end + 1), clonedArgs: null });
  }

  #fetched(ticket: Ticket, task: Task | null): void {
    if (this.#fetching !== ticket) return;
    this.#fetching = 0;
    if (task !== null) return this.#run(ticket, task);
    endTask(this.#introduction.cells, ticket);
    this.#turn();
  }

  #run(ticket: Ticket, task: Task): void {
    const run = new TaskRun(ticket, task, this.#channel);
    this.#running = run;
    void this.#storage.run(run, this.#execute, run);
  }

  /** Never rejects. Waits for nothing when module and handler do not make it. */
  readonly #execute = async (run: TaskRun): Promise<void> => {
    let origin: FaultOrigin = "module";
    let outcome: string | null = null;
    try {
      const { moduleUrl, exportName } = this.#placeOf(run.task.handler);
      const exports = this.#modules.get(moduleUrl) ?? (await this.#load(moduleUrl, run.ticket));
      origin = "export";
      const handler = handlerIn(exports, exportName);
      origin = "handler";
      markLoaded(this.#introduction.cells, run.ticket);
      const returning = handler(run.context);
      const returned = returning === undefined ? undefined : await returning;
      if (returned !== undefined) outcome = withCore().outcomeText(returned, run.job.kind);
    } catch (error) {
      // A module that has failed stays failed in its thread.
      if (origin === "module") leave(this.#introduction.cells);
      return this.#end(run, ["failed", run.ticket, faultOf(error, origin, run.wasStoppedBy(error))]);
    }
    this.#end(run, ["done", run.ticket, outcome]);
  };

  #placeOf(text: string): HandlerPlace {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const place = placeOf(text);
    this.#places.set(text, place);
    return place;
  }

  async #load(url: string, ticket: Ticket): Promise<Exports> {
    // The client sees this although the thread may have ended before it can tell.
    markLoading(this.#introduction.cells, ticket);
    const exports = (await import(url)) as Exports;
    this.#modules.set(url, exports);
    return exports;
  }

  #end(run: TaskRun, message: FromThread): void {
    const { cells } = this.#introduction;
    this.#running = null;
    run.finish();
    this.#ended++;
    if (this.#isSpent()) leave(cells);
    endTask(cells, run.ticket);
    this.#post(message);
    // Listeners may do what they like, and the attempt has ended by now.
    run.stopLeftovers();
    // After the microtasks that the handler has left: what they do must not concern the next task.
    afterMicrotasks(this.#look);
  }

  #isSpent(): boolean {
    const { attempts, ageMs, heapBytes } = this.#introduction.limits;
    if (this.#ended >= attempts || now() >= ageMs) return true;
    return heapBytes !== Infinity && getHeapStatistics().used_heap_size > heapBytes;
  }

  #uncaught(error: unknown): void {
    const owner = this.#storage.getStore();
    const running = this.#running;
    const { cells } = this.#introduction;
    if (running !== null && (owner === undefined || owner === running)) {
      const origin = isLoadingFor(cells, running.ticket) ? "module" : "handler";
      this.#post(["died", running.ticket, faultOf(error, origin, running.wasStoppedBy(error))]);
      process.exit(1);
    }
    // What an ended attempt has left behind does as it is asked.
    if (owner?.wasStoppedBy(error) === true) return;
    leave(cells);
    this.#post(["stray", owner?.ticket ?? 0, String(owner?.job.id ?? ""), faultOf(error, "handler")]);
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
