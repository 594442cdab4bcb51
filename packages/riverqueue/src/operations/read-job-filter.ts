/** The filters that listing and bulk deletion share. */
import type { JobFilter } from "../driver/select-jobs.ts";
import { JOB_STATES, type JobState } from "../model/job-state.ts";
import type { OptionProblems } from "../options/option-problems.ts";
import { type Expectation, integerFrom, JOB_ID, oneOf, readList, STORABLE_TEXT } from "./read-argument.ts";

/** Names of the options that {@link readJobFilter} reads. */
export const JOB_FILTER_KEYS: readonly (keyof JobFilter)[] = Object.freeze([
  "ids",
  "kinds",
  "priorities",
  "queues",
  "states",
]);

const PRIORITY: Expectation<number> = integerFrom(1, 4);
const STATE: Expectation<JobState> = oneOf(JOB_STATES);

/** Reads the filters; an absent one stays absent. */
export function readJobFilter(problems: OptionProblems, options: Record<string, unknown>): JobFilter {
  return {
    ids: readList(problems, options["ids"], "ids", JOB_ID),
    kinds: readList(problems, options["kinds"], "kinds", STORABLE_TEXT),
    priorities: readList(problems, options["priorities"], "priorities", PRIORITY),
    queues: readList(problems, options["queues"], "queues", STORABLE_TEXT),
    states: readList(problems, options["states"], "states", STATE),
  };
}
