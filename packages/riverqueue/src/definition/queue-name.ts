/** Grammar of queue names, shared by every River client. */

/** The separator is a single character, so no two parts of the pattern can match the same text: it cannot backtrack. */
const QUEUE_NAME = /^[a-z0-9]+(?:[_|-][a-z0-9]+)*$/;

/** What {@link isQueueName} accepts, as messages say it. */
export const QUEUE_NAME_EXPECTATION =
  "must be 1 to 64 characters, lower-case letters and digits in groups separated by a single _, - or |";

/** Whether jobs may be inserted into and worked from a queue of this name. */
export function isQueueName(value: unknown): value is string {
  return typeof value === "string" && value.length <= 64 && QUEUE_NAME.test(value);
}
