/** Readers of single arguments. Each reports to an `OptionProblems` and returns undefined for what is absent or wrong. */
import type { OptionProblems } from "../options/option-problems.ts";

/** Largest page, and default of one. */
export const LIMIT_MAX = 10_000;
/** Rows of a page unless the call says otherwise. */
export const LIMIT_DEFAULT = 100;

/** A type guard with the words for what it accepts. */
export interface Expectation<T> {
  readonly accepts: (value: unknown) => value is T;
  /** Reads on after the path: `must be …`. */
  readonly expectation: string;
}

/** An ID as the databases store it. */
export const JOB_ID: Expectation<bigint> = Object.freeze({
  accepts: (value: unknown): value is bigint => typeof value === "bigint" && BigInt.asIntN(64, value) === value,
  expectation: "must be a bigint of at most 64 bits",
});

/** Text that every backend can compare with. */
export const STORABLE_TEXT: Expectation<string> = Object.freeze({
  accepts: (value: unknown): value is string =>
    typeof value === "string" && value.isWellFormed() && !value.includes("\0"),
  expectation: "must be a string without U+0000 and lone surrogates",
});

/** One of a few names. */
export function oneOf<T extends string>(names: readonly T[]): Expectation<T> {
  return {
    accepts: (value: unknown): value is T => names.includes(value as T),
    expectation: `must be one of ${names.join(", ")}`,
  };
}

/** An integer within bounds, both inclusive. */
export function integerFrom(min: number, max: number): Expectation<number> {
  return {
    accepts: (value: unknown): value is number =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    expectation: `must be an integer from ${min} to ${max}`,
  };
}

/** Reads an optional value. */
export function readOptional<T>(
  problems: OptionProblems,
  value: unknown,
  path: string,
  { accepts, expectation }: Expectation<T>,
): T | undefined {
  if (value === undefined || accepts(value)) return value;
  problems.add(path, expectation);
  return undefined;
}

/** Reads an optional array; a copy, so that later changes by the caller change nothing. */
export function readList<T>(
  problems: OptionProblems,
  value: unknown,
  path: string,
  element: Expectation<T>,
): readonly T[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    problems.add(path, "must be an array");
    return undefined;
  }
  return Array.from(value as unknown[], (item, index) => {
    if (!element.accepts(item)) problems.add(`${path}[${index}]`, element.expectation);
    return item as T;
  });
}

/** Reads the option `limit`. */
export function readLimit(problems: OptionProblems, value: unknown, fallback: number = LIMIT_DEFAULT): number {
  return readOptional(problems, value, "limit", integerFrom(1, LIMIT_MAX)) ?? fallback;
}
