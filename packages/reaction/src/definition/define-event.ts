/** Event types: what has happened, with a payload that is checked when an event is created. */
import { OptionProblems } from "../kit/option-problems.ts";
import type { JsonValue } from "../model/json-value.ts";
import { ValidationError } from "../model/validation-error.ts";
import { encodeValue, parseValueNow } from "./check-value.ts";
import { isStandardSchema, type SchemaInput, type SchemaOutput, type StandardSchemaV1 } from "./standard-schema.ts";

/** Longest idempotency key, in characters. */
const LONGEST_KEY = 255;

/** A business fact that has happened, ready to be emitted. Made by the `create` of its type. */
export interface ReactionEvent<Payload = unknown> {
  readonly type: string;
  readonly idempotencyKey: string;
  readonly version: number;
  /** What the schema made of the payload as JSON brings it back. */
  readonly payload: Payload;
  /** The payload that was given, as it is stored: JSON text. */
  readonly payloadText: string;
  /** Null: the time of the emission. */
  readonly occurredAt: Date | null;
}

/** What an event is created from. */
export interface EventInput<Input> {
  /**
   * Stable name of the fact, unique within the type: 1 to 255 characters without control characters. Emitting it again is
   * a duplicate.
   */
  readonly idempotencyKey: string;
  readonly payload: Input;
  /** When it happened; the time of the emission unless given. */
  readonly occurredAt?: Date | undefined;
}

/** A kind of event. Made by {@link defineEvent}. */
export interface EventType<Input = unknown, Payload = unknown> {
  readonly type: string;
  readonly version: number;
  /** @throws ValidationError naming what is wrong with key or payload. */
  create(input: EventInput<Input>): ReactionEvent<Payload>;
  /**
   * The payload of a stored event of this type, upgraded from the version it was written in.
   *
   * @throws ValidationError when the schema refuses it, and for what is no stored event.
   */
  read(stored: { readonly payload: JsonValue; readonly version: number }): Payload;
}

/** Options of {@link defineEvent}. */
export interface EventTypeOptions<Schema extends StandardSchemaV1> {
  /** Stored, so it outlives the program: 1 to 128 letters, digits or `. _ - : /`. */
  readonly type: string;
  /** Any Standard Schema that does not need to wait. It sees payloads as JSON brings them back: a `Date` is text. */
  readonly schema: Schema;
  /** Version of the payload's form, from 1, default 1. */
  readonly version?: number | undefined;
  /** Brings the payload of an older version into the form that `schema` takes. */
  readonly upgrade?: ((payload: JsonValue, version: number) => unknown) | undefined;
}

/** Events that were checked when they were created. */
const made = new WeakSet<object>();

const KNOWN = ["type", "schema", "version", "upgrade"];
const KNOWN_INPUT = ["idempotencyKey", "payload", "occurredAt"];

/**
 * Defines a type of events.
 *
 * @throws ConfigurationError naming everything that is wrong with the options.
 */
export function defineEvent<Schema extends StandardSchemaV1>(
  options: EventTypeOptions<Schema>,
): EventType<SchemaInput<Schema>, SchemaOutput<Schema>> {
  const problems = new OptionProblems();
  const given = problems.object(options, "event", KNOWN);
  const type = problems.name(given["type"], "event.type");
  const version = problems.integer(given["version"], "event.version", 1, { min: 1, max: 2_147_483_647 });
  if (!isStandardSchema(given["schema"])) problems.add("event.schema", "must be a Standard Schema");
  if (given["upgrade"] !== undefined) problems.function(given["upgrade"], "event.upgrade");
  problems.throwConfiguration();
  const { schema, upgrade } = options;
  const parse = (payload: unknown): SchemaOutput<Schema> =>
    parseValueNow(schema, payload, "payload") as SchemaOutput<Schema>;
  return Object.freeze({
    type,
    version,
    create: (input: EventInput<SchemaInput<Schema>>) => createEvent(type, version, input, parse),
    read: (stored: { readonly payload: JsonValue; readonly version: number }) => {
      assertStored(stored);
      return parse(
        stored.version < version && upgrade !== undefined ? upgrade(stored.payload, stored.version) : stored.payload,
      );
    },
  });
}

function createEvent<Payload>(
  type: string,
  version: number,
  input: EventInput<unknown>,
  parse: (payload: unknown) => Payload,
): ReactionEvent<Payload> {
  const problems = new OptionProblems();
  const { idempotencyKey, occurredAt, payload } = problems.object(input, type, KNOWN_INPUT);
  if (!isKey(idempotencyKey)) {
    problems.add("idempotencyKey", `must be 1 to ${LONGEST_KEY} characters without control characters`);
  }
  if (occurredAt !== undefined && !isDate(occurredAt)) {
    problems.add("occurredAt", "must be a valid Date");
  }
  problems.throwValidation();
  const payloadText = encodeValue(payload, "payload");
  const event = Object.freeze({
    type,
    version,
    idempotencyKey: idempotencyKey as string,
    // As it will be read: a schema that wants what JSON cannot hold is found out now, not by whoever reads the record.
    payload: parse(JSON.parse(payloadText)),
    payloadText,
    occurredAt: (occurredAt as Date | undefined) ?? null,
  });
  made.add(event);
  return event;
}

function isKey(value: unknown): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  return typeof value === "string" && /^[^\u0000-\u001f\u007f]{1,255}$/u.test(value) && value.isWellFormed();
}

function assertStored(value: unknown): void {
  const stored = value as { readonly payload?: unknown; readonly version?: unknown } | null | undefined;
  if (typeof stored === "object" && stored !== null && "payload" in stored && isVersion(stored.version)) return;
  throw new ValidationError("stored must be an event as it was stored, with its payload and version");
}

/**
 * Whether `value` can be taken for an event of {@link EventType.create}, such as one of another copy of this package.
 *
 * @throws ValidationError when not.
 */
export function assertReactionEvent(value: unknown): asserts value is ReactionEvent {
  const event = value as Partial<ReactionEvent> | null | undefined;
  if (typeof event === "object" && event !== null && made.has(event)) return;
  const fits =
    typeof event === "object" &&
    typeof event?.type === "string" &&
    isKey(event.idempotencyKey) &&
    isVersion(event.version) &&
    (event.occurredAt === null || isDate(event.occurredAt)) &&
    isPayloadText(event.payloadText);
  if (!fits) throw new ValidationError("event must be made by the create() of an event type");
}

function isVersion(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isDate(value: unknown): boolean {
  return value instanceof Date && Number.isFinite(value.getTime());
}

function isPayloadText(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return encodeValue(JSON.parse(value), "payload") !== "";
  } catch {
    return false;
  }
}
