/** Compile-time check that a type is JSON, so that a job that cannot be stored is a readable error in the editor. */
import type { ExactJsonNumber, JsonValue } from "../json/json-value.ts";

declare const problem: unique symbol;

/** Stands where a type should be that River cannot store; `Message` says why. No value has this type. */
export interface JobDefinitionTypeError<Message extends string> {
  readonly [problem]: Message;
}

/**
 * `T` where it is JSON, and a {@link JobDefinitionTypeError} in place of each part that is not. A class without methods
 * looks like a plain object to the compiler; inserting an instance of it throws.
 */
export type JsonCompatible<T> = IsAnyOrUnknown<T> extends true ? T : [T] extends [JsonValue] ? T : JsonPart<T>;

/** One member of a union at a time. */
type JsonPart<T> = T extends ExactJsonNumber | boolean | number | string | null
  ? T
  : T extends bigint
    ? JobDefinitionTypeError<"a bigint is not JSON: use exactJsonNumber or a string">
    : T extends symbol | undefined
      ? JobDefinitionTypeError<"undefined and symbols are not JSON: use null or leave the property out">
      : T extends (...args: never) => unknown
        ? JobDefinitionTypeError<"a function is not JSON">
        : T extends Date
          ? JobDefinitionTypeError<"a Date is not JSON: use a string such as date.toISOString()">
          : T extends ReadonlyMap<unknown, unknown>
            ? JobDefinitionTypeError<"a Map is not JSON: use an object or an array of entries">
            : T extends ReadonlySet<unknown>
              ? JobDefinitionTypeError<"a Set is not JSON: use an array">
              : T extends readonly unknown[]
                ? { [Index in keyof T]: JsonCompatible<T[Index]> }
                : JsonObjectPart<T>;

type JsonObjectPart<T> = [MethodOf<T>] extends [never]
  ? { [Key in keyof T]: JsonCompatible<Exclude<T[Key], undefined>> | Extract<T[Key], undefined> }
  : JobDefinitionTypeError<`an object with methods is not JSON: use plain data instead of a class value`>;

/** Keys under which `T` has functions, and nothing else. */
type MethodOf<T> = {
  [Key in keyof T]-?: IsAnyOrUnknown<T[Key]> extends true
    ? never
    : [Exclude<T[Key], undefined>] extends [never]
      ? never
      : [Exclude<T[Key], undefined>] extends [(...args: never) => unknown]
        ? Key
        : never;
}[keyof T];

/**
 * `unknown` when job arguments of type `T` can be stored; otherwise a {@link JobDefinitionTypeError} that names the
 * property.
 */
export type CheckedJobInput<T> =
  IsAnyOrUnknown<T> extends true
    ? unknown
    : [T] extends [readonly unknown[] | bigint | boolean | number | string | symbol | null | undefined]
      ? JobDefinitionTypeError<"job arguments must be an object at the top, not an array or a primitive">
      : [T] extends [JsonCompatible<T>]
        ? [Extract<T, readonly unknown[] | boolean | number | string | null>] extends [never]
          ? unknown
          : JobDefinitionTypeError<"job arguments must be an object at the top, not an array or a primitive">
        : JobDefinitionTypeError<JsonProblemOf<T>>;

type JsonProblemOf<T> = [WrongKeyOf<T>] extends [never]
  ? MessageOf<JsonCompatible<T>>
  : {
      [Key in WrongKeyOf<T> & keyof T]: `job arguments must be JSON, and property '${Key & string}' is not: ${MessageOf<
        JsonCompatible<Exclude<T[Key], undefined>>
      >}`;
    }[WrongKeyOf<T> & keyof T];

/** Keys of `T` whose values are not JSON, when `T` itself is a plain object. */
type WrongKeyOf<T> =
  JsonCompatible<T> extends JobDefinitionTypeError<string>
    ? never
    : {
        [Key in keyof T & string]-?: [Exclude<T[Key], undefined>] extends [JsonCompatible<Exclude<T[Key], undefined>>]
          ? never
          : Key;
      }[keyof T & string];

/** The reason in `T`, or that it lies deeper. */
type MessageOf<T> = [Extract<T, JobDefinitionTypeError<string>>] extends [JobDefinitionTypeError<infer Message>]
  ? [Extract<T, JobDefinitionTypeError<string>>] extends [never]
    ? "something inside of it cannot be stored"
    : Message
  : never;

type IsAnyOrUnknown<T> = unknown extends T ? true : false;
