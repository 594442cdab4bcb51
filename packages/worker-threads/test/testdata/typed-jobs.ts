/** Definitions in a module of their own, which loads no handler. */
import { defineJob, type JobDefinition, type JsonObject } from "riverqueue";

export const findPrime: JobDefinition<JsonObject, { ordinal: number }> = defineJob({
  kind: "find_prime",
  decode: (value) => ({ ordinal: Number(value["ordinal"]) }),
});

export const rich: JobDefinition<JsonObject, { at: Date }> = defineJob({
  kind: "rich",
  decode: () => ({ at: new Date(0) }),
});
