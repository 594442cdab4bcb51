/**
 * Insertions in flight at the same time share one statement and so one commit. Each succeeds or fails by itself, exactly
 * as if it had run alone. Nothing waits while no statement runs, and for long behind none that has no answer.
 */
import type { InsertedJob, InsertJobsParams } from "riverqueue/driver";
import { isRowCaused } from "../connection/pg-failure.ts";
import type { PgRunner } from "../scope/pg-runner.ts";
import { insertJobs } from "./insert-jobs.ts";

const OPERATION = "jobs.insert";
/** Jobs of one statement; a few hundred have nearly all of the gain. */
const ROWS_PER_GROUP = 1_000;
/** How long others wait for a statement before they take a connection of their own, in milliseconds. */
const OVERTAKE_MS = 1_000;

interface Request {
  readonly params: InsertJobsParams;
  readonly answer: PromiseWithResolvers<readonly InsertedJob[]>;
}

/** Collects insertions without unique keys, durability and limit all the same. */
export class InsertCoalescer {
  readonly #runner: PgRunner;
  readonly #queues = new Map<string, InsertQueue>();

  constructor(runner: PgRunner) {
    this.#runner = runner;
  }

  /** Inserts with whatever else waits by the time the statement before returns. */
  insert(params: InsertJobsParams, timeoutMs: number | undefined): Promise<readonly InsertedJob[]> {
    const key = `${params.durability} ${timeoutMs}`;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = new InsertQueue(this.#runner, params.durability === "relaxed", timeoutMs, () => this.#queues.delete(key));
      this.#queues.set(key, queue);
    }
    return queue.insert(params);
  }
}

class InsertQueue {
  readonly #runner: PgRunner;
  readonly #relaxed: boolean;
  readonly #timeoutMs: number | undefined;
  readonly #onEmpty: () => void;
  #waiting: Request[] = [];
  /** Whoever writes what waits; others before it still wait for their last statement. */
  #writer: object | null = null;

  constructor(runner: PgRunner, relaxed: boolean, timeoutMs: number | undefined, onEmpty: () => void) {
    this.#runner = runner;
    this.#relaxed = relaxed;
    this.#timeoutMs = timeoutMs;
    this.#onEmpty = onEmpty;
  }

  insert(params: InsertJobsParams): Promise<readonly InsertedJob[]> {
    const answer = Promise.withResolvers<readonly InsertedJob[]>();
    this.#waiting.push({ params, answer });
    if (this.#writer === null) this.#begin();
    return answer.promise;
  }

  #begin(): void {
    const writer = {};
    this.#writer = writer;
    queueMicrotask(() => void this.#writeAll(writer));
  }

  async #writeAll(writer: object): Promise<void> {
    while (this.#writer === writer && this.#waiting.length > 0) {
      const timer = setTimeout(() => this.#overtake(writer), OVERTAKE_MS);
      await this.#write(this.#nextGroup());
      clearTimeout(timer);
    }
    if (this.#writer !== writer) return;
    this.#writer = null;
    this.#onEmpty();
  }

  #overtake(writer: object): void {
    if (this.#writer !== writer) return;
    this.#writer = null;
    if (this.#waiting.length > 0) this.#begin();
  }

  #nextGroup(): Request[] {
    let rows = 0;
    let end = 0;
    for (const { params } of this.#waiting) {
      rows += params.jobs.length;
      if (end > 0 && rows > ROWS_PER_GROUP) break;
      end += 1;
    }
    return this.#waiting.splice(0, end);
  }

  async #write(group: readonly Request[]): Promise<void> {
    try {
      const inserted = await this.#insert(group.map(({ params }) => params));
      let end = 0;
      for (const { params, answer } of group) answer.resolve(inserted.slice(end, (end += params.jobs.length)));
    } catch (error) {
      if (group.length > 1 && isRowCaused(error)) await this.#writeEach(group);
      else for (const { answer } of group) answer.reject(error);
    }
  }

  /** One of them has a value that cannot be stored; nothing of the group was written. */
  async #writeEach(group: readonly Request[]): Promise<void> {
    for (const request of group) await this.#write([request]);
  }

  #insert(requests: readonly InsertJobsParams[]): Promise<InsertedJob[]> {
    const jobs = requests.flatMap((request) => request.jobs);
    const notices = requests.flatMap((request) => request.notices);
    return this.#runner.use(OPERATION, { timeoutMs: this.#timeoutMs }, (unit) =>
      insertJobs(unit, { jobs, notices }, this.#relaxed),
    );
  }
}
