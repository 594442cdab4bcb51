/** Several insertions in one transaction, each all or nothing by itself. */
import type { InsertedJob, InsertJobsParams } from "riverqueue/driver";
import { translateFailure } from "../connection/sqlite-failure.ts";
import type { Unit } from "../scope/unit.ts";
import { insertJobs } from "./insert-jobs.ts";

/** What became of one insertion of a group. */
export type InsertOutcome = { readonly inserted: readonly InsertedJob[] } | { readonly error: unknown };

/**
 * Writes a group; one outcome each, in order. Insertions without unique keys do not see each other, so they are written
 * together first. Those with keys follow one by one, in order, because a later one may meet a key of an earlier.
 */
export function insertGroup(unit: Unit, requests: readonly InsertJobsParams[]): InsertOutcome[] {
  const [only] = requests;
  if (only !== undefined && requests.length === 1) return [{ inserted: insertJobs(unit, only) }];
  const outcomes = new Map<InsertJobsParams, InsertOutcome>();
  const plain = requests.filter(({ jobs }) => jobs.every(({ uniqueKey }) => uniqueKey === null));
  for (const [request, inserted] of insertTogether(unit, plain)) outcomes.set(request, { inserted });
  return requests.map((request) => outcomes.get(request) ?? insertAlone(unit, request));
}

/** All of `requests` as if they were one; none when one of them cannot be written, and then each is tried by itself. */
function insertTogether(unit: Unit, requests: readonly InsertJobsParams[]): Map<InsertJobsParams, InsertedJob[]> {
  const jobs = requests.flatMap((request) => request.jobs);
  const notices = requests.flatMap((request) => request.notices);
  if (jobs.length === 0) return new Map();
  const outcome = undoable(unit, () => insertJobs(unit, { jobs, notices, durability: "default" }));
  if ("error" in outcome) return new Map();
  let end = 0;
  return new Map(requests.map((request) => [request, outcome.result.slice(end, (end += request.jobs.length))]));
}

function insertAlone(unit: Unit, request: InsertJobsParams): InsertOutcome {
  const outcome = undoable(unit, () => insertJobs(unit, request));
  if ("error" in outcome) return { error: translateFailure(outcome.error, "jobs.insert") };
  return { inserted: outcome.result };
}

/** Runs `body` so that a failure leaves nothing of it. A failure that ends the transaction is passed on. */
function undoable<T>(unit: Unit, body: () => T): { readonly result: T } | { readonly error: unknown } {
  const { connection } = unit;
  connection.change("SAVEPOINT insertion");
  try {
    const result = body();
    connection.change("RELEASE insertion");
    return { result };
  } catch (error) {
    if (!connection.database.isTransaction) throw error;
    connection.change("ROLLBACK TO insertion");
    connection.change("RELEASE insertion");
    return { error };
  }
}
