/**
 * What River knows about a definition beyond its public face. Kept beside the objects, so that only `defineJob` can make
 * one and nothing can be changed on it.
 */
import type { JsonObject } from "../json/json-value.ts";
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";

/** How a definition's arguments are checked. */
export type ArgsCheck =
  | { readonly form: "schema"; readonly schema: StandardSchemaV1 }
  | { readonly form: "decoder"; readonly decode: (value: JsonObject) => unknown }
  | { readonly form: "unchecked" };

const checks = new WeakMap<object, ArgsCheck>();

/** Makes `definition` a job definition. */
export function registerDefinition(definition: object, check: ArgsCheck): void {
  checks.set(definition, check);
}

/** Whether `defineJob` made `value`. */
export function isRegisteredDefinition(value: unknown): boolean {
  return typeof value === "object" && value !== null && checks.has(value);
}

/** @throws ConfigurationError when `defineJob` did not make `definition`. */
export function argsCheckOf(definition: object): ArgsCheck {
  const check = checks.get(definition);
  if (check === undefined) throw new ConfigurationError("definition must be made by defineJob");
  return check;
}
