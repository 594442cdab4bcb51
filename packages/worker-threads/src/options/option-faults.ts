/** Collects what is wrong with an options object, so that all of it is told in one error. */
import { ConfigurationError } from "riverqueue";

/** Edits that a name may be away from a known one to be taken for a slip of it. */
const SLIP = 3;

/** See the file header. */
export class OptionFaults {
  readonly #found: string[] = [];

  add(path: string, expectation: string): void {
    this.#found.push(`${path} ${expectation}`);
  }

  /** The members of an object with none but `known` keys; nothing when there is no such object. */
  read(value: unknown, path: string, known: readonly string[]): Readonly<Record<string, unknown>> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.add(path, "must be an object");
      return {};
    }
    for (const key of Reflect.ownKeys(value).map(String)) {
      if (known.includes(key)) continue;
      const near = known.find((name) => distance(name.toLowerCase(), key.toLowerCase()) <= SLIP);
      this.add(
        `${path}.${key}`,
        near ? `is no option; did you mean ${near}?` : `is no option; known: ${known.join(", ")}`,
      );
    }
    return value as Readonly<Record<string, unknown>>;
  }

  /** A positive integer, or `fallback` where there is none. */
  positiveInteger<Fallback>(value: unknown, path: string, fallback: Fallback): number | Fallback {
    if (value === undefined) return fallback;
    if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
    this.add(path, "must be a positive integer");
    return fallback;
  }

  /** @throws ConfigurationError naming everything that was found. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new ConfigurationError(this.#found.join("; "));
  }
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [above, letter] of Array.from(a).entries()) {
    const next = [above + 1];
    for (const [column, other] of Array.from(b).entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
