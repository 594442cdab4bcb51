/** From the options of `jobs.deleteMany` to the driver's parameters. */
import type { JobDeleteManyOptions } from "../api/job-operations.ts";
import type { DeleteJobsParams, JobFilter } from "../driver/select-jobs.ts";
import { OptionProblems } from "../options/option-problems.ts";
import { readTx } from "./operations-context.ts";
import { type Expectation, readLimit, readOptional } from "./read-argument.ts";
import { JOB_FILTER_KEYS, readJobFilter } from "./read-job-filter.ts";

/** A checked bulk deletion. */
export interface JobDeletion {
  readonly params: DeleteJobsParams;
  readonly tx: unknown;
}

const DELETION_KEYS: readonly (keyof JobDeleteManyOptions | "tx")[] = Object.freeze([
  ...JOB_FILTER_KEYS,
  "all",
  "limit",
  "tx",
]);

const BOOLEAN: Expectation<boolean> = Object.freeze({
  accepts: (value: unknown): value is boolean => typeof value === "boolean",
  expectation: "must be a boolean",
});

/** @throws ValidationError naming everything that is wrong. */
export function readJobDeletion(value: unknown): JobDeletion {
  const problems = new OptionProblems();
  const options = problems.object(value, "", DELETION_KEYS);
  const filter = readJobFilter(problems, options);
  const limit = readLimit(problems, options["limit"]);
  const tx = readTx(problems, options["tx"]);
  const all = readOptional(problems, options["all"], "all", BOOLEAN);
  if (problems.isEmpty) checkExtent(problems, all, filter);
  problems.throwValidation();
  return { params: { filter, limit }, tx };
}

/** Deleting everything has to be asked for; a filter that turned out to be undefined must not do it. */
function checkExtent(problems: OptionProblems, all: boolean | undefined, filter: JobFilter): void {
  const hasFilter = Object.values(filter).some((values) => values !== undefined);
  if (all === true && hasFilter) problems.add("all", "must not be combined with a filter");
  else if (all !== true && !hasFilter) {
    problems.add("options", `must have a filter (${JOB_FILTER_KEYS.join(", ")}) or all: true`);
  }
}
