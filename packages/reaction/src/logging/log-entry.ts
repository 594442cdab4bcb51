/** One log entry, as it travels and as it is kept. */
import { byteLength } from "../kit/canonical-json.ts";
import { storableText } from "../kit/storable-text.ts";
import { timeOrderedId } from "../kit/time-ordered-id.ts";
import type { JsonValue } from "../model/json-value.ts";
import { LOG_LEVELS, type LogAttributes, type LogLevel } from "./logger.ts";

/** See the file header. */
export interface LogEntry {
  /** Time-ordered and unique; the key is `log/<time>/<id>`. */
  readonly id: string;
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly attributes: { readonly [key: string]: JsonValue };
}

/** The form in which an entry travels and is kept. */
type StoredEntry = { readonly [Key in keyof LogEntry]: Key extends "time" ? string : LogEntry[Key] };

/** In UTF-16 code units. Six bytes each at worst, so that an entry is always smaller than the largest message. */
const LONGEST_MESSAGE = 8_192;
/** In bytes of UTF-8. */
const LARGEST_ATTRIBUTES = 65_536;
const DEEPEST = 6;
/** More values than that are too large in any case: each takes two bytes at least. */
const MOST_VALUES = LARGEST_ATTRIBUTES / 2;
/** The part of every key before the time. */
export const LOG_PREFIX = "log/";

/** A new entry. Attributes that are no JSON are described; ones that are too large are left out, and the entry says so. */
export function newLogEntry(
  level: LogLevel,
  attributes: LogAttributes,
  message: string,
  { time, sequence }: { readonly time: Date; readonly sequence: number },
): LogEntry {
  const plain = plainAttributes(attributes);
  const tooLarge = byteLength(JSON.stringify(plain)) > LARGEST_ATTRIBUTES;
  return {
    // The sequence keeps entries of one millisecond in the order they were logged.
    id: `${String(sequence).padStart(10, "0")}-${timeOrderedId(time)}`,
    time,
    level,
    // Logging must not fail its caller, not even one that leaves the message out.
    message: typeof message === "string" ? storableText(message, LONGEST_MESSAGE) : "",
    attributes: tooLarge ? { attributesDropped: true } : plain,
  };
}

/** The key of an entry. */
export function logKey({ id, time }: Pick<LogEntry, "id" | "time">): string {
  return `${LOG_PREFIX}${time.toISOString()}/${id}`;
}

/** As a message body. */
export function encodeLogEntry({ id, time, level, message, attributes }: LogEntry): {
  readonly [key: string]: JsonValue;
} {
  return { id, time: time.toISOString(), level, message, attributes };
}

/** Null for anything that this package would not have written. */
export function decodeLogEntry(value: unknown): LogEntry | null {
  if (typeof value !== "object" || value === null) return null;
  const { id, time, level, message, attributes } = value as Partial<StoredEntry>;
  const at = typeof time === "string" ? new Date(time) : null;
  if (at === null || !Number.isFinite(at.getTime()) || at.toISOString() !== time) return null;
  if (typeof id !== "string" || !/^[\w-]{1,64}$/.test(id) || typeof message !== "string") return null;
  if (level === undefined || !LOG_LEVELS.includes(level) || typeof attributes !== "object" || attributes === null)
    return null;
  return { id, time: at, level, message, attributes };
}

/** Whether a message body is a log entry. */
export function isLogEntry(value: unknown): boolean {
  return decodeLogEntry(value) !== null;
}

function plainAttributes(attributes: LogAttributes): { readonly [key: string]: JsonValue } {
  try {
    const plain = plainValue(attributes, 0, { values: MOST_VALUES });
    return typeof plain === "object" && plain !== null && !Array.isArray(plain)
      ? (plain as { readonly [key: string]: JsonValue })
      : { value: plain };
  } catch {
    return { attributesDropped: true };
  }
}

interface Left {
  values: number;
}

/** Depth is bounded, so that cycles end, and so is the number of values, which cycles multiply. */
function plainValue(value: unknown, depth: number, left: Left): JsonValue {
  if (left.values-- <= 0) throw new RangeError("too many values");
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return storableText(value);
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint" || typeof value === "symbol" || typeof value === "function")
    return storableText(value.toString());
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.toISOString() : "invalid date";
  if (value instanceof Error) return plainError(value, depth, left);
  if (depth >= DEEPEST) return "…";
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => plainValue(item, depth + 1, left));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [storableText(key), plainValue(member, depth + 1, left)]),
  );
}

function plainError(error: Error, depth: number, left: Left): JsonValue {
  const { name, message, cause } = error;
  const code = (error as { readonly code?: unknown }).code;
  return {
    name: storableText(name),
    message: storableText(message),
    ...(typeof code === "string" && { code: storableText(code) }),
    ...(cause !== undefined && depth < DEEPEST && { cause: plainValue(cause, depth + 1, left) }),
  };
}
