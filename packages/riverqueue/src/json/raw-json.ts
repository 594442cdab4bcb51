/** Typed access to Node's raw JSON. Nothing here touches it while loading, because older versions of Node lack it. */
import type { ExactJsonNumber } from "./json-value.ts";

interface RawJsonFunctions {
  /** @throws SyntaxError when `text` is not the JSON text of a primitive. */
  rawJSON(text: string): ExactJsonNumber;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}

/** `JSON` with the members that TypeScript's library does not declare. */
export const rawJson: RawJsonFunctions = JSON as typeof JSON & RawJsonFunctions;
