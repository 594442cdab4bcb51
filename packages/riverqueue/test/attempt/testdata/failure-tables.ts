/** A.1 rows 10 to 14: whatever fails an attempt, without an abort, ends as rows 6 to 9 say. */
import { PayloadValidationError } from "../../../src/model/errors/payload-validation-error.ts";
import { UnknownJobKindError } from "../../../src/model/errors/unknown-job-kind-error.ts";
import { ValidationError } from "../../../src/model/errors/validation-error.ts";
import { type FailingSetting, threw, type TruthTableRow } from "./truth-table-row.ts";

interface Failure {
  readonly title: string;
  readonly setting?: FailingSetting;
  readonly thrown: Error;
  readonly trace?: boolean;
}

const FAILURES: readonly Failure[] = [
  { title: "JS-47: A.1 row 10: runtime fault", thrown: new TypeError("undefined is not a function"), trace: true },
  { title: "JS-96: A.1 row 11: unknown kind", setting: "unknown kind", thrown: new UnknownJobKindError("sample") },
  {
    title: "A.1 row 12: arguments that do not decode",
    setting: "refused arguments",
    thrown: new PayloadValidationError(
      "sample",
      "work",
      'args do not pass the check of job kind "sample", which threw',
    ),
  },
  {
    title: "A.1 row 12: a row that cannot be decoded",
    setting: "damaged row",
    thrown: new ValidationError("job row couldn't be decoded: river_job.args of job 7 cannot be read"),
  },
  { title: "A.1 row 13: a begin hook throws", setting: "throwing hook", thrown: new Error("not today") },
  {
    title: "JS-40: A.1 row 14: a returned value that is no outcome",
    setting: "no outcome",
    thrown: new ValidationError(
      'the handler of job kind "sample" returned a number; it must return nothing, or an outcome',
    ),
  },
];

/** All of them. */
export const FAILURE_TABLES: readonly TruthTableRow[] = FAILURES.flatMap(({ title, setting, thrown, trace = false }) => {
  const failure = {
    setting,
    result: () => threw(thrown),
    error: thrown.message,
    event: "job_failed",
    reported: true,
    trace,
  } as const;
  return [
    { ...failure, title: `${title}, as row 6`, retryIn: 5, state: "available", scheduledIn: 5 },
    { ...failure, title: `${title}, as row 7`, state: "retryable", scheduledIn: 60 },
    { ...failure, title: `${title}, as row 8`, maxAttempts: 3, state: "discarded" },
    { ...failure, title: `${title}, as row 9`, handlerCancels: true, state: "cancelled", event: "job_cancelled" },
  ];
});
