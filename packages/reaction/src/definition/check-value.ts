/** Validates payloads and inputs: as JSON of a bounded size, and by their schema. Messages name paths, never values. */
import { byteLength, jsonText } from "../kit/canonical-json.ts";
import { ValidationError } from "../model/validation-error.ts";
import type { StandardSchemaIssue, StandardSchemaResult, StandardSchemaV1 } from "./standard-schema.ts";

/** Largest payload, input or result as JSON in UTF-8. */
const LARGEST_JSON_BYTES = 100_000;

const REPORTED_ISSUES = 10;

/** `value` as JSON text. @throws ValidationError when it is no JSON or larger than 100,000 bytes. */
export function encodeValue(value: unknown, path: string): string {
  let text: string;
  try {
    text = jsonText(value);
  } catch {
    throw new ValidationError(`${path} must be JSON`);
  }
  if (byteLength(text) > LARGEST_JSON_BYTES) {
    throw new ValidationError(`${path} must be at most ${LARGEST_JSON_BYTES} bytes as JSON`);
  }
  return text;
}

/** What the schema makes of `value`. @throws ValidationError naming the paths that it refuses. */
export async function parseValue<Output>(
  schema: StandardSchemaV1<unknown, Output>,
  value: unknown,
  path: string,
): Promise<Output> {
  return outputOf(await schema["~standard"].validate(value), path);
}

/** The same at once. @throws ValidationError also for a schema that needs to wait. */
export function parseValueNow<Output>(schema: StandardSchemaV1<unknown, Output>, value: unknown, path: string): Output {
  const result = schema["~standard"].validate(value);
  if ("then" in result) {
    // Nobody waits for it, and its rejection must not end the process.
    void Promise.resolve(result).catch(() => {});
    throw new ValidationError(`${path} has a schema that validates asynchronously; use one that does not`);
  }
  return outputOf(result, path);
}

function outputOf<Output>(result: StandardSchemaResult<Output>, path: string): Output {
  if (result.issues === undefined) return result.value;
  const places = result.issues.slice(0, REPORTED_ISSUES).map((issue) => placeOf(issue, path));
  throw new ValidationError(`${[...new Set(places)].join(", ")} is not what the schema asks for`);
}

function placeOf({ path = [] }: StandardSchemaIssue, start: string): string {
  return path.reduce<string>((place, segment) => {
    const key = typeof segment === "object" ? segment.key : segment;
    return typeof key === "number" ? `${place}[${key}]` : `${place}.${String(key)}`;
  }, start);
}
