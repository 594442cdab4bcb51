/** Grammar of job kinds, shared by every River client; periodic job IDs use it too. */

const JOB_KIND = /^\w[\w\-[\]<>/.·:+]+$/;

/** What {@link isJobKind} accepts, as messages say it. */
export const JOB_KIND_EXPECTATION =
  "must be 2 to 127 characters: a letter, digit or _, then letters, digits and _ - [ ] < > / . · : +";

/** Whether `value` can be the kind of a job. The length is the database's limit. */
export function isJobKind(value: unknown): value is string {
  return typeof value === "string" && value.length <= 127 && JOB_KIND.test(value);
}
