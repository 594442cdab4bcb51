/** Every flag of every command: how it is written, what it takes, and how its text is read. */
import { CliProblem } from "../cli-problem.ts";
import { parseGoDuration } from "./go-duration.ts";

/** What each flag gives once it is read. */
export interface FlagValues {
  readonly all: boolean;
  readonly "database-url": string;
  readonly debug: boolean;
  readonly down: boolean;
  readonly "dry-run": boolean;
  readonly "exclude-version": readonly number[];
  readonly help: boolean;
  readonly line: string;
  readonly "max-steps": number;
  readonly schema: string;
  readonly "show-sql": boolean;
  /** In milliseconds. */
  readonly "statement-timeout": number;
  readonly "target-version": number;
  readonly up: boolean;
  readonly verbose: boolean;
  /** Of migrations. Before a command `--version` is a switch, which the parser knows. */
  readonly version: readonly number[];
}

/** Name of a flag without its dashes. */
export type FlagName = keyof FlagValues;

/** Flags as given; those that were not are missing. */
export type GivenFlags = Partial<FlagValues>;

/** One flag. */
export interface Flag<Value> {
  readonly short?: string;
  /** What stands for the value in help; null for a switch. */
  readonly placeholder: string | null;
  readonly summary: string;
  /** Reads all texts given for the flag, in order; there is at least one. @throws CliProblem */
  read(texts: readonly string[], flag: string): Value;
}

/** Flags that every command takes. */
export const GLOBAL_FLAGS: readonly FlagName[] = ["statement-timeout", "verbose", "debug", "help"];

const LONGEST_TIMEOUT_MS = 2_147_483_647;

/** The table. */
export const FLAGS: { readonly [Name in FlagName]: Flag<FlagValues[Name]> } = {
  "database-url": {
    placeholder: "URL",
    summary: "database: postgres://…, postgresql://… or sqlite://PATH; without it the PG* variables count",
    read: readLast,
  },
  schema: { placeholder: "NAME", summary: "Postgres schema of River's tables, if not the default one", read: readName },
  line: { placeholder: "NAME", summary: "migration line to work on (main)", read: readName },
  "target-version": {
    placeholder: "N",
    summary: "version to arrive at, which stays applied; 0 on the way down takes out all",
    read: readInteger,
  },
  "max-steps": { placeholder: "N", summary: "apply or take out N versions at most", read: readInteger },
  "dry-run": { placeholder: null, summary: "tell what would be done, and change nothing", read: readSwitch },
  "show-sql": { placeholder: null, summary: "print the SQL of each migration", read: readSwitch },
  version: { placeholder: "N[,N…]", summary: "version to print; may be repeated", read: readIntegers },
  all: { placeholder: null, summary: "print all versions; descending with --down", read: readSwitch },
  up: { placeholder: null, summary: "print what applies a version", read: readSwitch },
  down: { placeholder: null, summary: "print what takes a version out", read: readSwitch },
  "exclude-version": { placeholder: "N[,N…]", summary: "version to leave out; may be repeated", read: readIntegers },
  "statement-timeout": {
    placeholder: "D",
    summary: "Postgres: longest time of a statement, such as 30s or 1m30s (10s)",
    read: readTimeout,
  },
  verbose: { short: "v", placeholder: null, summary: "log at level info", read: readSwitch },
  debug: { placeholder: null, summary: "log at level debug", read: readSwitch },
  help: { short: "h", placeholder: null, summary: "print help", read: readSwitch },
};

/** Of a flag given several times the last one counts. */
function readLast(texts: readonly string[]): string {
  return texts.at(-1) ?? "";
}

function readName(texts: readonly string[], flag: string): string {
  const text = readLast(texts);
  if (text === "" || text.includes("\0")) throw new CliProblem(`${flag} needs a name`);
  return text;
}

function readSwitch(texts: readonly string[], flag: string): boolean {
  const text = readLast(texts);
  if (text === "true" || text === "false") return text === "true";
  throw new CliProblem(`${flag} takes no value, or =true or =false`);
}

function readInteger(texts: readonly string[], flag: string): number {
  const value = toInteger(readLast(texts));
  if (value === null) throw new CliProblem(`${flag} needs a whole number, not "${readLast(texts)}"`);
  return value;
}

function readIntegers(texts: readonly string[], flag: string): readonly number[] {
  return texts
    .flatMap((text) => text.split(","))
    .map((text) => {
      const value = toInteger(text.trim());
      if (value === null) throw new CliProblem(`${flag} needs versions such as 3 or 1,2,3, not "${text}"`);
      return value;
    });
}

function toInteger(text: string): number | null {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? value : null;
}

function readTimeout(texts: readonly string[], flag: string): number {
  const text = readLast(texts);
  const ms = parseGoDuration(text);
  if (ms === null) throw new CliProblem(`${flag} needs a duration such as 10s or 1m30s, not "${text}"`);
  if (ms <= 1) throw new CliProblem(`${flag} must be greater than 1ms`);
  if (ms > LONGEST_TIMEOUT_MS) throw new CliProblem(`${flag} must be at most ${LONGEST_TIMEOUT_MS}ms`);
  return Math.floor(ms);
}
