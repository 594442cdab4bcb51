/** What is posted on a pool's board: which attempt is in which place, who has taken it, and what came of its abort. */
import type { WorkExecutorAbortResult } from "riverqueue";
import type { Ticket } from "../protocol/messages.ts";
import { nextTicket, type PlacedTask, TaskBoard } from "../protocol/task-board.ts";
import type { ThreadAttempt } from "./thread-attempt.ts";

/** An abort that waits for its attempt to end. */
export interface PendingAbort {
  readonly reason: unknown;
  readonly promise: Promise<WorkExecutorAbortResult>;
  readonly resolve: (result: WorkExecutorAbortResult) => void;
  readonly timer: NodeJS.Timeout;
  /** Whether its time was over and the thread is being ended. */
  isForced: boolean;
}

/** One attempt on the board. */
export interface PostedTask extends PlacedTask {
  readonly attempt: ThreadAttempt;
  /** Whether whoever takes it has all of it. */
  isWhole: boolean;
  abort: PendingAbort | null;
}

/** See the file header. */
export class PostedTasks {
  /** The threads' side of it. */
  readonly board: TaskBoard;
  readonly #places: (PostedTask | null)[];
  #ticket: Ticket = 0;
  #size = 0;

  constructor(places: number) {
    this.board = TaskBoard.withPlaces(places);
    this.#places = Array.from({ length: places }, () => null);
  }

  /** Whether nothing is posted or runs. */
  get isEmpty(): boolean {
    return this.#size === 0;
  }

  get isFull(): boolean {
    return this.#size === this.#places.length;
  }

  /** How many wait to be taken. */
  get waiting(): number {
    let waiting = 0;
    for (const task of this.#places) if (task !== null && this.takerOf(task) === 0) waiting++;
    return waiting;
  }

  /** Posts an attempt; there is a place. Whoever is free has it from now on. */
  post(attempt: ThreadAttempt): void {
    const place = this.#places.indexOf(null);
    const ticket = (this.#ticket = nextTicket(this.#ticket));
    const { handler, job, clonedArgs } = attempt.task;
    const text = clonedArgs === null ? `${handler}\n${job}` : null;
    const task: PostedTask = { ticket, place, attempt, isWhole: true, abort: null };
    this.#places[place] = task;
    this.#size++;
    task.isWhole = this.board.post(task, text);
  }

  /** Posts again, in its old turn, what a thread had taken that is gone. */
  postAgain(task: PostedTask): void {
    task.isWhole = this.board.post(task, null);
  }

  find(ticket: Ticket): PostedTask | undefined {
    for (const task of this.#places) if (task !== null && task.ticket === ticket) return task;
    return undefined;
  }

  of(attempt: ThreadAttempt): PostedTask | undefined {
    for (const task of this.#places) if (task !== null && task.attempt === attempt) return task;
    return undefined;
  }

  /** What a thread runs, or has run and not told of. */
  takenBy(thread: number): PostedTask | undefined {
    for (const task of this.#places) if (task !== null && this.takerOf(task) === thread) return task;
    return undefined;
  }

  /** Number of the thread that has taken it; 0 when none has. */
  takerOf({ place }: PostedTask): number {
    return this.board.takerAt(place);
  }

  /** The one that is taken next. */
  get next(): PostedTask | undefined {
    const oldest = this.board.oldest();
    return oldest === null ? undefined : this.find(oldest.ticket);
  }

  /** Takes it off the board; false when a thread was faster. */
  takeBack(task: PostedTask): boolean {
    if (!this.board.takeBack(task)) return false;
    this.#forget(task);
    return true;
  }

  /** Clears away what a thread had taken. */
  remove(task: PostedTask): void {
    this.board.clear(task.place);
    this.#forget(task);
  }

  *[Symbol.iterator](): Iterator<PostedTask> {
    for (const task of this.#places) if (task !== null) yield task;
  }

  #forget({ place }: PostedTask): void {
    this.#places[place] = null;
    this.#size--;
  }
}
