/**
 * The text of a job list's cursor, the same in every language: base64 of a JSON object that names the last job of a
 * page and the value it was sorted by.
 */
import type { JobListOrderBy } from "../api/job-operations.ts";
import type { JobListPosition } from "../driver/select-jobs.ts";
import { escapeLikeGo } from "../json/encode-stored-json.ts";
import { isJsonNumber, jsonNumberToBigInt } from "../json/exact-json-number.ts";
import type { JsonObject } from "../json/json-value.ts";
import { parseJsonObject } from "../json/parse-json.ts";
import { JOB_ID } from "./read-argument.ts";

/** What a cursor says. */
export interface JobListCursor extends JobListPosition {
  readonly kind: string;
  readonly queue: string;
  readonly orderBy: JobListOrderBy;
}

const SORT_FIELDS: Readonly<Record<JobListOrderBy, string>> = Object.freeze({
  id: "id",
  finalizedAt: "finalized_at",
  scheduledAt: "scheduled_at",
  time: "time",
});

/** Stands for "no time", as in Go. */
const ZERO_TIME = "0001-01-01T00:00:00Z";

/** Time with zone, up to nine fractional digits; years of more than four digits as this client writes them. */
const RFC_3339 = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
/** Padded; of both alphabets, because Go writes the URL-safe one and reads the standard one. */
const BASE64 = /^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}==|[A-Za-z0-9+/_-]{3}=)?$/;

/** Writes a cursor, byte for byte as River for Go does. */
export function encodeJobListCursor({ id, kind, queue, orderBy, time }: JobListCursor): string {
  const text = escapeLikeGo(
    `{"id":${id},"kind":${JSON.stringify(kind)},"queue":${JSON.stringify(queue)},` +
      `"sort_field":"${SORT_FIELDS[orderBy]}","time":"${time === null ? ZERO_TIME : time.toString()}"}`,
  );
  return Buffer.from(text).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}

/** Reads a cursor of any client; null when the text is none. */
export function decodeJobListCursor(text: string): JobListCursor | null {
  if (!BASE64.test(text)) return null;
  try {
    const bytes = Buffer.from(text, "base64");
    return cursorOf(parseJsonObject(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    return null;
  }
}

function cursorOf({ id, kind, queue, sort_field: sortField, time }: JsonObject): JobListCursor | null {
  if (!isJsonNumber(id) || typeof kind !== "string" || typeof queue !== "string" || typeof time !== "string")
    return null;
  const position = { id: jsonNumberToBigInt(id), time: timeOf(time) };
  const orderBy = (Object.keys(SORT_FIELDS) as JobListOrderBy[]).find((order) => SORT_FIELDS[order] === sortField);
  return orderBy && position.time !== undefined && JOB_ID.accepts(position.id)
    ? { ...position, time: position.time, kind, queue, orderBy }
    : null;
}

/** The instant, null for the zero time, undefined when the text is no time. */
function timeOf(text: string): Temporal.Instant | null | undefined {
  if (!RFC_3339.test(text)) return undefined;
  const time = Temporal.Instant.from(text);
  return time.equals(ZERO_TIME) ? null : time;
}
