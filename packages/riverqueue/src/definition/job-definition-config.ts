/** What `defineJob` takes: with a schema, with a decoder, or with neither. */
import type { JsonObject } from "../json/json-value.ts";
import type { InsertOptions } from "./insert-options.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";

/** What all three forms have in common. */
export interface JobDefinitionOptions<Kind extends string = string> {
  /** 2 to 127 characters: a letter, digit or `_`, then letters, digits and `_ - [ ] < > / . · : +`. */
  readonly kind: Kind;
  /** Further kinds, such as former names, whose jobs a worker of this definition works too. None unless given. */
  readonly kindAliases?: readonly string[] | undefined;
  /** Insert options of every job of this kind, unless the insertion gives them. */
  readonly defaults?: InsertOptions | undefined;
  /**
   * Delete the row of a completed job instead of storing it as `completed`. That frees a unique key at once, so it is
   * refused together with `defaults.unique` unless `unique.byState` is written out. False unless given.
   *
   * @addition
   */
  readonly deleteOnComplete?: boolean | undefined;
}

/** Arguments are checked by a schema: producers pass its input type, workers get its output type. */
export interface SchemaJobDefinitionConfig<
  Kind extends string = string,
  Schema extends StandardSchemaV1 = StandardSchemaV1,
> extends JobDefinitionOptions<Kind> {
  /** Any Standard Schema v1 validator; may be asynchronous. */
  readonly schema: Schema;
  readonly decode?: undefined;
}

/** Arguments are checked and turned into `Args` by a function. */
export interface DecoderJobDefinitionConfig<
  Kind extends string = string,
  Args = unknown,
> extends JobDefinitionOptions<Kind> {
  /** Gets the stored JSON; throws, or rejects, for arguments that it does not accept. */
  readonly decode: (value: JsonObject) => Args | PromiseLike<Args>;
  readonly schema?: undefined;
}

/** Arguments are any JSON object and reach workers as they are stored. */
export interface UncheckedJobDefinitionConfig<Kind extends string = string> extends JobDefinitionOptions<Kind> {
  readonly schema?: undefined;
  readonly decode?: undefined;
}
