/** The one call that writes new jobs. */
import type { DriverCall } from "../driver/call.ts";
import type { InsertOnlyDriver } from "../driver/driver.ts";
import type { InsertedJob, InsertJobsParams, JobToInsert } from "../driver/insert-jobs.ts";
import { jobRowOf } from "../model/job-row-view.ts";
import type { InsertResult } from "./insert-result.ts";

/**
 * Writes jobs and notices as one unit; one result per job, in order. Of jobs with the same unique key only the first is
 * sent, since databases disagree about such repeats; the others are its duplicates.
 */
export async function writeJobs<Tx>(
  driver: InsertOnlyDriver<Tx>,
  params: InsertJobsParams,
  call: DriverCall<Tx>,
): Promise<InsertResult[]> {
  const firsts = firstsOfRepeats(params.jobs);
  if (firsts === null) return (await driver.jobs.insert(params, call)).map(resultOf);
  const sent = [...new Set(firsts)];
  const jobs = params.jobs.filter((_, index) => firsts[index] === index);
  const results = (await driver.jobs.insert({ ...params, jobs }, call)).map(resultOf);
  const byIndex = new Map(sent.map((index, position) => [index, results[position] as InsertResult]));
  return firsts.map((first, index) => {
    const result = byIndex.get(first) as InsertResult;
    return first === index ? result : { job: result.job, status: "duplicate" };
  });
}

function resultOf({ job, duplicate }: InsertedJob): InsertResult {
  return { job: jobRowOf(job), status: duplicate ? "duplicate" : "inserted" };
}

/** For each job the index of the first with the same unique key, its own for most; null when no key is repeated. */
function firstsOfRepeats(jobs: readonly JobToInsert[]): number[] | null {
  const seen = new Map<string, number>();
  let repeated = false;
  const firsts = jobs.map(({ uniqueKey }, index) => {
    if (uniqueKey === null) return index;
    const key = Buffer.from(uniqueKey.buffer, uniqueKey.byteOffset, uniqueKey.byteLength).toString("latin1");
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else repeated = true;
    return first ?? index;
  });
  return repeated ? firsts : null;
}
