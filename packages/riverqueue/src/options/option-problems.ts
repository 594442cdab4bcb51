/**
 * Collects everything wrong with one options object, so that a caller sees all of it in one error. Paths are written
 * as in code: `queues.default.maxWorkers`, `items[3].args`.
 */
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import { ValidationError } from "../model/errors/validation-error.ts";
import { nearestName } from "./nearest-name.ts";

/** One finding: what is wrong where. */
export interface OptionProblem {
  /** As in code: `queues.default.maxWorkers`. */
  readonly path: string;
  /** Reads on after the path: `must be …`. */
  readonly expectation: string;
}

/** See the file header. */
export class OptionProblems {
  readonly #found: OptionProblem[] = [];

  /** Nothing was found wrong. */
  get isEmpty(): boolean {
    return this.#found.length === 0;
  }

  /** Notes what is wrong at `path`; the expectation reads on after it: `must be …`. */
  add(path: string, expectation: string): void {
    this.#found.push({ path, expectation });
  }

  /** The value as a record if it is a plain object with only `known` keys; otherwise problems and an empty record. */
  object(value: unknown, path: string, known: readonly string[]): Record<string, unknown> {
    if (!isPlainObject(value)) {
      this.add(path || "options", "must be an object");
      return {};
    }
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key === "symbol" || !known.includes(key)) this.#unknownKey(String(key), path, known);
    }
    return value;
  }

  #unknownKey(key: string, path: string, known: readonly string[]): void {
    const at = path ? `${path}.${key}` : key;
    const withoutUnit = key.endsWith("Ms") ? key.slice(0, -2) : null;
    if (withoutUnit !== null && known.includes(withoutUnit)) {
      return this.add(at, `is not an option; use ${withoutUnit} with a duration such as { seconds: 5 }`);
    }
    const near = nearestName(key, known);
    this.add(at, near ? `is not an option; did you mean ${near}?` : `is not an option; known are ${known.join(", ")}`);
  }

  /** Ends a check of configuration. @throws ConfigurationError naming every problem, if there is one. */
  throwConfiguration(): void {
    if (!this.isEmpty) throw new ConfigurationError(this.#message(), { details: this.#details() });
  }

  /** Ends a check of a call's arguments. @throws ValidationError naming every problem, if there is one. */
  throwValidation(): void {
    if (!this.isEmpty) throw new ValidationError(this.#message(), { details: this.#details() });
  }

  #message(): string {
    return this.#found.map(({ path, expectation }) => `${path}${gap(expectation)}${expectation}`).join("; ");
  }

  #details(): Record<string, unknown> {
    return { problems: this.#found.map((problem) => Object.freeze({ ...problem })) };
  }
}

/** Between path and expectation: nothing before a colon. */
function gap(expectation: string): string {
  return expectation.startsWith(":") ? "" : " ";
}

/** Whether `value` is an object made by a literal, `Object.create(null)`, or in another realm likewise. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
