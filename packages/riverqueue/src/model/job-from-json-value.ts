/** The way back from `jobToJsonValue`: a job from JSON that may come from anywhere. */
import { copyJsonObject } from "../json/copy-json-value.ts";
import { describeValue } from "../json/describe-value.ts";
import { isJsonNumber } from "../json/exact-json-number.ts";
import { JSON_DEPTH_LIMIT } from "../json/json-limits.ts";
import type { JsonArray, JsonObject, JsonValue } from "../json/json-value.ts";
import { writeJsonText } from "../json/write-json-text.ts";
import { JsonValueError } from "./errors/json-value-error.ts";
import type { JobRecord } from "./job-record.ts";
import { jobRowOf } from "./job-row-view.ts";
import type { JobRow } from "./job-row.ts";
import { bitmaskOfStates, isJobState, JOB_STATES, type JobState } from "./job-state.ts";
import type { JobRowJson } from "./job-to-json-value.ts";

/**
 * Reads what `jobToJsonValue` made, also after it was written as text and parsed.
 *
 * @throws JsonValueError, a ValidationError, with the path of the first value that is missing, wrong or not known.
 */
export function jobFromJsonValue(value: JobRowJson | JsonValue): JobRow {
  // The job is one level around values that may have all levels, and together longer than any of them.
  const check = { subject: "job", maxDepth: JSON_DEPTH_LIMIT + 1, maxBytes: Number.MAX_SAFE_INTEGER };
  return jobRowOf(recordOf(new JsonFields("$", copyJsonObject(value, check))));
}

function recordOf(fields: JsonFields): JobRecord {
  const uniqueStates = fields.nullable("uniqueStates", readStates);
  const record: JobRecord = {
    id: fields.read("id", readId),
    kind: fields.read("kind", readString),
    queue: fields.read("queue", readString),
    state: fields.read("state", readState),
    priority: fields.read("priority", readCount),
    attempt: fields.read("attempt", readCount),
    maxAttempts: fields.read("maxAttempts", readCount),
    args: writeJsonText(fields.read("args", readObject)),
    metadata: writeJsonText(fields.read("metadata", readObject)),
    tags: fields.read("tags", readStrings),
    attemptedBy: fields.read("attemptedBy", readStrings),
    errors: writeJsonText(fields.read("errors", readErrors)),
    createdAt: fields.read("createdAt", readInstant),
    scheduledAt: fields.read("scheduledAt", readInstant),
    attemptedAt: fields.nullable("attemptedAt", readInstant),
    finalizedAt: fields.nullable("finalizedAt", readInstant),
    uniqueKey: fields.nullable("uniqueKey", readUniqueKey),
    uniqueStates: uniqueStates && bitmaskOfStates(uniqueStates),
  };
  fields.end();
  return Object.freeze(record);
}

/** Turns a value that is there into what it stands for, or throws with its path. */
type Reader<T> = (value: JsonValue, path: string) => T;

/** Members of an object that are taken one by one; what is left at the end does not belong there. */
class JsonFields {
  readonly #path: string;
  readonly #left: Map<string, JsonValue>;

  constructor(path: string, object: JsonObject) {
    this.#path = path;
    this.#left = new Map(Object.entries(object));
  }

  read<T>(key: string, reader: Reader<T>): T {
    const path = `${this.#path}.${key}`;
    const value = this.#left.get(key);
    if (value === undefined) throw refusal(path, "to be present");
    this.#left.delete(key);
    return reader(value, path);
  }

  nullable<T>(key: string, reader: Reader<T>): T | null {
    return this.read(key, (value, path) => (value === null ? null : reader(value, path)));
  }

  end(): void {
    for (const key of this.#left.keys()) throw refusal(`${this.#path}[${JSON.stringify(key)}]`, "to be absent");
  }
}

function refusal(path: string, expected: string, value?: JsonValue): JsonValueError {
  const found = value === undefined ? "" : `, got ${describeValue(value)}`;
  return new JsonValueError(path, `job at ${path}: expected ${expected}${found}`);
}

function readString(value: JsonValue, path: string): string {
  if (typeof value !== "string") throw refusal(path, "a string", value);
  return value;
}

function readId(value: JsonValue, path: string): bigint {
  if (typeof value === "string" && /^-?\d{1,19}$/.test(value)) {
    const id = BigInt(value);
    if (BigInt.asIntN(64, id) === id) return id;
  }
  throw refusal(path, "the decimal digits of a 64-bit integer in a string", value);
}

function readState(value: JsonValue, path: string): JobState {
  if (!isJobState(value)) throw refusal(path, `one of ${JOB_STATES.join(", ")}`, value);
  return value;
}

function readCount(value: JsonValue, path: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw refusal(path, "an integer of at least 0", value);
  }
  return value;
}

function readObject(value: JsonValue, path: string): JsonObject {
  if (typeof value !== "object" || value === null || isArray(value) || isJsonNumber(value)) {
    throw refusal(path, "an object", value);
  }
  return value;
}

function readArray<T>(value: JsonValue, path: string, reader: Reader<T>): T[] {
  if (!isArray(value)) throw refusal(path, "an array", value);
  return value.map((element, index) => reader(element, `${path}[${index}]`));
}

function readStrings(value: JsonValue, path: string): readonly string[] {
  return Object.freeze(readArray(value, path, readString));
}

function readStates(value: JsonValue, path: string): readonly JobState[] {
  return readArray(value, path, readState);
}

function readErrors(value: JsonValue, path: string): JsonArray {
  return readArray(value, path, readError);
}

function readError(value: JsonValue, path: string): JsonObject {
  const fields = new JsonFields(path, readObject(value, path));
  const error = {
    at: fields.read("at", readInstant).toString(),
    attempt: fields.read("attempt", readCount),
    error: fields.read("error", readString),
    trace: fields.read("trace", readString),
  };
  fields.end();
  return error;
}

function readInstant(value: JsonValue, path: string): Temporal.Instant {
  try {
    return Temporal.Instant.from(readString(value, path));
  } catch {
    throw refusal(path, "an RFC 3339 time with offset in a string", value);
  }
}

function readUniqueKey(value: JsonValue, path: string): Uint8Array {
  const key = Buffer.from(readString(value, path), "base64");
  if (key.length !== 32 || key.toString("base64") !== value) throw refusal(path, "32 bytes in base64", value);
  return new Uint8Array(key);
}

function isArray(value: JsonValue): value is JsonArray {
  return Array.isArray(value);
}
