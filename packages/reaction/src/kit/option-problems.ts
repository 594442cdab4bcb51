/** Collects everything wrong with one options object, so that a caller sees all of it in one error. */
import { LOG_LEVELS } from "../logging/logger.ts";
import { ConfigurationError } from "../model/configuration-error.ts";
import { ValidationError } from "../model/validation-error.ts";
import { storableText } from "./storable-text.ts";

/** See the file header. Paths are written as in code: `commands[0].timeout`. */
export class OptionProblems {
  readonly #found: string[] = [];

  /** `expectation` reads on after the path: `must be …`. */
  add(path: string, expectation: string): void {
    this.#found.push(`${path} ${expectation}`);
  }

  /** The value as a record if it is an object with only `known` keys; otherwise problems and an empty record. */
  object(value: unknown, path: string, known: readonly string[]): Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.add(path, "must be an object");
      return {};
    }
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) this.#unknown(key, path, known);
    }
    return value as Readonly<Record<string, unknown>>;
  }

  integer<Fallback>(
    value: unknown,
    path: string,
    fallback: Fallback,
    { min, max }: { readonly min: number; readonly max: number },
  ): number | Fallback {
    if (value === undefined) return fallback;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    this.add(path, `must be an integer of ${min} to ${max}`);
    return fallback;
  }

  /** A name of 1 to 128 letters, digits and `. _ - : /`. */
  name(value: unknown, path: string): string {
    if (typeof value === "string" && /^[\w.:/-]{1,128}$/.test(value)) return value;
    this.add(path, "must be 1 to 128 letters, digits or . _ - : /");
    return "";
  }

  function(value: unknown, path: string): void {
    if (typeof value !== "function") this.add(path, "must be a function");
  }

  /** Text that every store takes, as of a name or a key. */
  text(value: unknown, path: string): void {
    if (typeof value !== "string") this.add(path, "must be text");
    else if (storableText(value) !== value) this.add(path, "must hold neither NUL nor half of a surrogate pair");
  }

  /** A moment. */
  date(value: unknown, path: string): void {
    if (!(value instanceof Date) || !Number.isFinite(value.getTime())) this.add(path, "must be a valid Date");
  }

  oneOf(value: unknown, path: string, known: readonly string[]): void {
    if (!known.includes(value as string)) this.add(path, `must be one of ${known.join(", ")}`);
  }

  /** A logger in pino's order. */
  logger(value: unknown, path: string): void {
    const methods = (value ?? {}) as Readonly<Record<string, unknown>>;
    const missing = LOG_LEVELS.filter((level) => typeof methods[level] !== "function");
    if (missing.length > 0) this.add(path, `must have functions ${LOG_LEVELS.join(", ")}`);
  }

  #unknown(key: string, path: string, known: readonly string[]): void {
    const withoutUnit = key.endsWith("Ms") ? key.slice(0, -2) : null;
    if (withoutUnit !== null && known.includes(withoutUnit)) {
      return this.add(`${path}.${key}`, `is not an option; use ${withoutUnit} with a duration such as { seconds: 5 }`);
    }
    const near = nearestName(key, known);
    this.add(
      `${path}.${key}`,
      near === null ? `is not an option; known are ${known.join(", ")}` : `is not an option; did you mean ${near}?`,
    );
  }

  /** @throws ConfigurationError naming every problem, if there is one. */
  throwConfiguration(): void {
    if (this.#found.length > 0) throw new ConfigurationError(this.#found.join("; "));
  }

  /** @throws ValidationError naming every problem, if there is one. */
  throwValidation(): void {
    if (this.#found.length > 0) throw new ValidationError(this.#found.join("; "));
  }
}

/** The nearest of `known` by edit distance, if it is near enough to be a slip. */
function nearestName(name: string, known: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(name.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= limit ? best.candidate : null;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substituted = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
