/** The error with which options are refused. */
import assert from "node:assert/strict";
import type { Refusal } from "../../docs/testdata/option-refusals.ts";

/** Gives `options` to what takes them; the error that refuses them. */
export async function refusalOf(refusal: Refusal, options: object): Promise<Error> {
  try {
    await refusal(options);
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
  throw new Error(`${Object.keys(options).join(", ")} was accepted`);
}
