/**
 * Group commit: insertions in flight at the same time share one transaction and so one wait for the disk. Each succeeds
 * or fails by itself, exactly as if it had run alone; only a failed commit fails all.
 */
import type { InsertedJob, InsertJobsParams } from "riverqueue/driver";
import type { Unit } from "../scope/unit.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { insertGroup, type InsertOutcome } from "./insert-group.ts";
import { insertsInOneStatement } from "./insert-jobs.ts";

const OPERATION = "jobs.insert";
/** A transaction of more rows keeps the loop too long, and gains nothing. */
const ROWS_PER_GROUP = 1_000;

interface Request {
  readonly params: InsertJobsParams;
  readonly answer: PromiseWithResolvers<readonly InsertedJob[]>;
}

interface Group {
  readonly requests: Request[];
  readonly durability: InsertJobsParams["durability"];
  readonly timeoutMs: number | undefined;
  rows: number;
}

/** Collects the insertions of one driver that run outside any scope. */
export class InsertCoalescer {
  readonly #runner: UnitRunner;
  readonly #open = new Map<string, Group>();

  /** @param runner - one that refuses nothing: callers have been checked when their request is taken. */
  constructor(runner: UnitRunner) {
    this.#runner = runner;
  }

  /** Inserts with whatever else is asked for before the microtasks of this moment are through. */
  insert(params: InsertJobsParams, timeoutMs: number | undefined): Promise<readonly InsertedJob[]> {
    const answer = Promise.withResolvers<readonly InsertedJob[]>();
    const group = this.#groupFor(params, timeoutMs);
    group.requests.push({ params, answer });
    group.rows += params.jobs.length;
    return answer.promise;
  }

  #groupFor({ jobs, durability }: InsertJobsParams, timeoutMs: number | undefined): Group {
    const key = `${durability} ${timeoutMs}`;
    const open = this.#open.get(key);
    if (open !== undefined && open.rows + jobs.length <= ROWS_PER_GROUP) return open;
    const group: Group = { requests: [], durability, timeoutMs, rows: 0 };
    this.#open.set(key, group);
    queueMicrotask(() => {
      if (this.#open.get(key) === group) this.#open.delete(key);
      void this.#write(group);
    });
    return group;
  }

  async #write(group: Group): Promise<void> {
    try {
      const outcomes = await this.#run(group);
      for (const [index, { answer }] of group.requests.entries()) settle(answer, outcomes[index]);
    } catch (error) {
      for (const { answer } of group.requests) answer.reject(error);
    }
  }

  #run({ requests, durability, timeoutMs }: Group): Promise<InsertOutcome[]> {
    const all = requests.map(({ params }) => params);
    const [first] = all;
    const body = (unit: Unit): InsertOutcome[] => insertGroup(unit, all);
    const isOneStatement = all.length === 1 && first !== undefined && insertsInOneStatement(first);
    if (isOneStatement && durability === "default") return this.#runner.change(OPERATION, { timeoutMs }, body);
    return this.#runner.transact(OPERATION, { timeoutMs }, body, durability);
  }
}

function settle(answer: Request["answer"], outcome: InsertOutcome | undefined): void {
  if (outcome !== undefined && "inserted" in outcome) answer.resolve(outcome.inserted);
  else answer.reject(outcome?.error);
}
