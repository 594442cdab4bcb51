/** The part of Standard Schema v1 that River uses. Zod, Valibot, ArkType and others implement it. */

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
  /** Written by the validator; may quote the value, so River does not repeat it. */
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What `Schema` accepts. */
export type StandardSchemaInput<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["input"];

/** What `Schema` makes of its input. */
export type StandardSchemaOutput<Schema extends StandardSchemaV1> = NonNullable<Schema["~standard"]["types"]>["output"];
