/** The types of JSON as River carries it: numbers exact, objects without a prototype. */

declare const exactJsonNumber: unique symbol;

/**
 * A number as its JSON text, for what a JavaScript `number` cannot hold exactly. It is Node's raw JSON, so
 * `JSON.stringify` writes the text unchanged. Made by `exactJsonNumber` and by `parseJson`.
 */
export interface ExactJsonNumber {
  /** The number as written, like `9007199254740993`. */
  readonly rawJSON: string;
  readonly [exactJsonNumber]: true;
}

/** A JSON number: a `number` where that is exact. */
export type JsonNumber = number | ExactJsonNumber;

/** A JSON array. */
export type JsonArray = readonly JsonValue[];

/** A JSON object. Those that River makes have a null prototype, so that `__proto__` is a key like any other. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Any JSON value. */
export type JsonValue = JsonArray | JsonNumber | JsonObject | boolean | string | null;
