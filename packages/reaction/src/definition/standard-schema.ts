/** The part of Standard Schema v1 that is used here. Zod, Valibot, ArkType and others implement it. */

/** A validator. `Input` is what it accepts, `Output` what it makes of that. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    readonly validate: (value: unknown) => PromiseLike<StandardSchemaResult<Output>> | StandardSchemaResult<Output>;
    /** Carries the types; absent at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Outcome of a validation: a value, or issues. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** One thing wrong with a value. */
export interface StandardSchemaIssue {
  /** Written by the validator; may quote the value, so it is not repeated. */
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What `Schema` accepts. */
export type SchemaInput<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["input"];

/** What `Schema` makes of its input. */
export type SchemaOutput<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["output"];

/** Whether `value` is a validator. Some are functions. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard = (value as Partial<StandardSchemaV1>)["~standard"];
  return typeof standard === "object" && standard !== null && typeof standard.validate === "function";
}
