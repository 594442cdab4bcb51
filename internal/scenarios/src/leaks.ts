/** Texts that only a job's own data, a password or SQL hold, and the search for them in whatever leaves the library. */
import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { RiverEvent } from "riverqueue";
import type { LogEntry } from "./scene.ts";

/** Each is found nowhere but where a test has put it. */
export const CANARY = {
  args: "canary-of-arguments",
  metadata: "canary-of-metadata",
  output: "canary-of-output",
  tag: "canary-of-tags",
  payload: "canary-of-a-notice",
  password: "canary-of-passwords",
  sql: "canary_of_sql",
  trigger: "canary-of-a-trigger",
} as const;

const CANARIES = /canary[-_]of[-_][a-z-]+/;
/** Statements are written with these in capitals; prose is not. Functions and placeholders of statements besides. */
const SQL =
  /\b(?:SELECT|INSERT|UPDATE|DELETE|RETURNING|WHERE|VALUES|FROM river|BEGIN|COMMIT|SAVEPOINT|PRAGMA|CREATE|ALTER|LISTEN|unnest|json_to_recordset|jsonb?_[a-z_]+\()|\$\d|::[a-z]+\b|RAISE/;

/** See the file header. */
export class Leaks {
  readonly #found: string[] = [];
  #looked = 0;

  /** How many things have been looked at. */
  get looked(): number {
    return this.#looked;
  }

  /** Looks at `value`, with all its causes, properties that are hidden, and the text it gives of itself. */
  look(where: string, value: unknown): void {
    this.#looked++;
    for (const text of textsOf(value)) {
      const leak = CANARIES.exec(text) ?? SQL.exec(text);
      if (leak !== null) {
        const around = text.slice(Math.max(0, leak.index - 150), leak.index + 150);
        this.#found.push(`${where}: ${JSON.stringify(leak[0])} in …${around}…`);
      }
    }
  }

  /** The error that `call` fails with, looked at. */
  async failure(where: string, call: () => Promise<unknown>): Promise<Error> {
    try {
      await call();
    } catch (error) {
      this.look(where, error);
      assert.ok(error instanceof Error, where);
      return error;
    }
    return assert.fail(`${where}: did not fail`);
  }

  /** Looks at everything that a client has logged. */
  logs(entries: readonly LogEntry[]): void {
    for (const entry of entries) this.look(`log entry ${JSON.stringify(entry.message)}`, entry);
  }

  /** Looks at events. The job in them is the application's own; everything else is looked at. */
  events(events: readonly RiverEvent[]): void {
    for (const event of events) this.look(`event ${event.kind}`, { ...event, job: null });
  }

  /** Fails with everything that was found. */
  assertNone(): void {
    assert.ok(this.#looked > 0);
    assert.deepEqual([...new Set(this.#found)], []);
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  const options = { depth: Infinity, maxArrayLength: null, maxStringLength: null, breakLength: Infinity } as const;
  return [
    inspect(value, { ...options, showHidden: true, getters: true }),
    // What a logger writes that takes properties one by one, whatever `inspect` is told to leave out.
    JSON.stringify(plainOf(value, new Set())) ?? "",
    String(value),
  ];
}

/** Own properties of everything, hidden ones included, as plain data. */
function plainOf(value: unknown, seen: Set<object>): unknown {
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return "(again)";
  seen.add(value);
  if (value instanceof Map || value instanceof Set) return plainOf([...value], seen);
  const entries = Reflect.ownKeys(value).map((key) => [String(key), plainOf(Reflect.get(value, key), seen)] as const);
  return Object.fromEntries(entries);
}
