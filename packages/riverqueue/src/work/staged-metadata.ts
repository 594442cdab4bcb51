/**
 * What an attempt has recorded about itself and has not written yet: metadata keys and output, as JSON text. A value is
 * checked and encoded when it is recorded, so that an attempt which has ended can always be written.
 */
import { copyJsonValue, type JsonCheck } from "../json/copy-json-value.ts";
import { encodeStoredJson, escapeLikeGo } from "../json/encode-stored-json.ts";
import { JSON_DEPTH_LIMIT } from "../json/json-limits.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import { ValidationError } from "../model/errors/validation-error.ts";

/** Metadata key of a job's output. */
export const OUTPUT_KEY = "output";

const RESERVED_PREFIX = "river:";
const OUTPUT_SUBJECT = "job output";
const METADATA_SUBJECT = "job metadata value";

/** Check of an output, which lies one level deep in the metadata. */
export const OUTPUT_CHECK: JsonCheck = Object.freeze({ subject: OUTPUT_SUBJECT, maxDepth: JSON_DEPTH_LIMIT - 1 });
const METADATA_CHECK: JsonCheck = Object.freeze({ subject: METADATA_SUBJECT, maxDepth: JSON_DEPTH_LIMIT - 1 });

/** Characters of JSON that one attempt may record in all: no database stores a larger object. */
const TOTAL_LIMIT = 268_435_455;

/** Recorded values by metadata key; the last one recorded under a key counts. */
export class StagedMetadata {
  readonly #texts: Map<string, string> = new Map();
  readonly #totalLimit: number;
  #total = 0;

  constructor(totalLimit: number = TOTAL_LIMIT) {
    this.#totalLimit = totalLimit;
  }

  /**
   * Records a value that the application gave.
   *
   * @throws ValidationError for a key that is no text or is reserved (`river:…`), and as a JsonValueError for a value
   *   that is no JSON or is larger than 32 MiB.
   */
  set(key: string, value: JsonValue): void {
    if (typeof key !== "string") throw new ValidationError("metadata key must be a string");
    if (key.startsWith(RESERVED_PREFIX))
      throw new ValidationError(`metadata key must not start with ${RESERVED_PREFIX}`);
    if (key.includes("\0") || !key.isWellFormed()) {
      throw new ValidationError("metadata key must not contain U+0000 or lone surrogates");
    }
    this.#put(key, encodeStoredJson(copyJsonValue(value, METADATA_CHECK), METADATA_SUBJECT));
  }

  /** Records the output. @throws JsonValueError when it is no JSON or larger than 32 MiB. */
  setOutput(value: JsonValue): void {
    this.#put(OUTPUT_KEY, encodeStoredJson(copyJsonValue(value, OUTPUT_CHECK), OUTPUT_SUBJECT));
  }

  #put(key: string, text: string): void {
    const total = this.#total + text.length - (this.#texts.get(key)?.length ?? 0);
    if (total > this.#totalLimit) {
      throw new ValidationError(
        `metadata and output of one attempt must not exceed ${this.#totalLimit} characters in all`,
      );
    }
    this.#total = total;
    this.#texts.set(key, text);
  }

  /** Records a value of River's own, made of values that were checked one by one, under any key. */
  setReserved(key: string, value: JsonValue): void {
    this.#texts.set(key, encodeStoredJson(value, METADATA_SUBJECT, Number.MAX_SAFE_INTEGER));
  }

  /**
   * JSON text of an object with everything recorded; null when nothing was.
   *
   * @param extra - keys of River's own that take the place of recorded ones in the text.
   */
  text(extra?: Readonly<Record<string, JsonValue>>): string | null {
    if (this.#texts.size === 0 && extra === undefined) return null;
    const texts = new Map(this.#texts);
    for (const [key, value] of Object.entries(extra ?? {})) texts.set(key, encodeStoredJson(value));
    return `{${Array.from(texts, ([key, text]) => `${escapeLikeGo(JSON.stringify(key))}:${text}`).join(",")}}`;
  }

  /** The output recorded so far, decoded. */
  output(): JsonValue | undefined {
    const text = this.#texts.get(OUTPUT_KEY);
    return text === undefined ? undefined : parseJson(text);
  }

  /** Everything recorded but the output, decoded; undefined when there is nothing. */
  metadata(): JsonObject | undefined {
    const entries = Array.from(this.#texts).filter(([key]) => key !== OUTPUT_KEY);
    if (entries.length === 0) return undefined;
    const values: Record<string, JsonValue> = Object.create(null);
    for (const [key, text] of entries) values[key] = parseJson(text);
    return values;
  }
}
