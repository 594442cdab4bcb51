/** From the options of `jobs.update` to the text of what is merged. */
import type { JobUpdateOptions } from "../api/job-operations.ts";
import { InsertFaults } from "../definition/insert-faults.ts";
import { copyJsonObject, copyJsonValue } from "../json/copy-json-value.ts";
import { encodeStoredJson, escapeLikeGo } from "../json/encode-stored-json.ts";
import { JSON_DEPTH_LIMIT } from "../json/json-limits.ts";
import { formatJsonPath } from "../json/json-path.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { readTx } from "./operations-context.ts";

/** A checked update. */
export interface JobUpdate {
  /** JSON text of an object; null when there is nothing to merge. */
  readonly metadata: string | null;
  readonly tx: unknown;
}

const UPDATE_KEYS: readonly (keyof JobUpdateOptions | "tx")[] = Object.freeze(["metadata", "output", "tx"]);
const OUTPUT_KEY = "output";
const OUTPUT_SUBJECT = "job output";
const RESERVED_PREFIX = "river:";

/**
 * @param recordedOutput - taken when the options have no output.
 * @throws ValidationError naming everything that is wrong; JsonValueError when all of that is values that are no JSON, or
 *   for one that is too large.
 */
export function readJobUpdate(value: unknown, recordedOutput: JsonValue | undefined): JobUpdate {
  const faults = new InsertFaults();
  const options = faults.options.object(value, "", UPDATE_KEYS);
  const tx = readTx(faults.options, options["tx"]);
  const metadata = readMetadata(faults, options["metadata"]);
  const given = options[OUTPUT_KEY];
  const output = given === undefined ? recordedOutput : faults.collect(() => readOutput(given));
  faults.throwValidation();
  return { metadata: mergedText(metadata, output), tx };
}

function readMetadata(faults: InsertFaults, value: unknown): JsonObject {
  if (value === undefined) return {};
  const metadata = faults.collect(() => copyJsonObject(value, { subject: "metadata" })) ?? {};
  for (const key of Object.keys(metadata)) {
    if (!key.startsWith(RESERVED_PREFIX)) continue;
    const path = `metadata at ${formatJsonPath([key])}`;
    faults.options.add(path, `must not start with ${RESERVED_PREFIX}, which is reserved`);
  }
  return metadata;
}

/** Output is stored one level down, in the metadata. */
function readOutput(value: unknown): JsonValue {
  return copyJsonValue(value, { subject: OUTPUT_SUBJECT, maxDepth: JSON_DEPTH_LIMIT - 1 });
}

/** Each value has its own size limit, so they are encoded one by one. */
function mergedText(metadata: JsonObject, output: JsonValue | undefined): string | null {
  const members = Object.entries(metadata).filter(([key]) => output === undefined || key !== OUTPUT_KEY);
  if (output !== undefined) members.push([OUTPUT_KEY, output]);
  const texts = members.map(([key, value]) => {
    const subject = key === OUTPUT_KEY ? OUTPUT_SUBJECT : "metadata";
    return `${escapeLikeGo(JSON.stringify(key))}:${encodeStoredJson(value, subject)}`;
  });
  return texts.length === 0 ? null : `{${texts.join(",")}}`;
}
