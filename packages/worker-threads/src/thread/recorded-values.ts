/** Checks what a handler records, as the client would, so that the call that is wrong is the one that throws. */
import { JsonValueError, stringifyJson, ValidationError } from "riverqueue";

/** Bytes of JSON that an output or a metadata value may have. */
const SIZE_LIMIT = 33_554_432;
/** Characters of JSON that the attributes of a log entry may have. */
const ATTRIBUTES_LIMIT = 32_768;

/** @throws JsonValueError when the output is no JSON or larger than 32 MiB. */
export function encodeOutput(output: unknown): string {
  return encode(output, "job output");
}

/** @throws ValidationError for a key that is no text or reserved, and as `encodeOutput` for the value. */
export function encodeMetadata(key: unknown, value: unknown): string {
  if (typeof key !== "string") throw new ValidationError("metadata key must be a string");
  if (key.startsWith("river:")) throw new ValidationError("metadata key must not start with river:");
  if (key.includes("\0") || !key.isWellFormed()) {
    throw new ValidationError("metadata key must not contain U+0000 or lone surrogates");
  }
  return encode(value, "job metadata value");
}

/** The attributes' JSON text, or a note for the message where they cannot be sent. Never throws. */
export function encodeLogAttributes(attributes: unknown): { readonly json: string | null; readonly note: string } {
  try {
    const json = stringifyJson(attributes);
    if (!json.startsWith("{")) return { json: null, note: " [log attributes omitted: they are no object]" };
    if (json.length <= ATTRIBUTES_LIMIT) return { json, note: "" };
    return { json: null, note: ` [log attributes omitted: ${json.length} characters]` };
  } catch (error) {
    const problem = error instanceof JsonValueError ? error.message : "they cannot be read";
    return { json: null, note: ` [log attributes omitted: ${problem}]` };
  }
}

function encode(value: unknown, subject: string): string {
  let text: string;
  try {
    text = stringifyJson(value);
  } catch (error) {
    if (!(error instanceof JsonValueError)) throw error;
    throw new JsonValueError(error.path, error.message.replace(/^JSON value/, subject));
  }
  if (text.length * 6 > SIZE_LIMIT && storedSize(text) > SIZE_LIMIT) {
    throw new JsonValueError("$", `${subject} must not exceed 32 MiB`);
  }
  return text;
}

/** Bytes of the text as it is stored, where these characters are written as escapes of six. */
function storedSize(text: string): number {
  const ascii = text.match(/[<>&]/g)?.length ?? 0;
  const separators = text.match(/[\u2028\u2029]/g)?.length ?? 0;
  return Buffer.byteLength(text) + ascii * 5 + separators * 3;
}
