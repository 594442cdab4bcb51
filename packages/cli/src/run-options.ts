/** What a program that embeds the command line may set. */
import type { Migration, MigrationBackend } from "@riverqueue/migrate";
import { ConfigurationError } from "riverqueue";
import { nearestName } from "./arguments/nearest-name.ts";

/** The versions of a line on one database family, as `createMigrator` takes them. */
export type LineMigrations = (backend: MigrationBackend) => readonly Migration[];

/** Where text goes. Every writable stream of Node.js fits. */
export type TextOutput = Pick<NodeJS.WritableStream, "write">;

/** Options of `run`. */
export interface RunOptions {
  /**
   * Migration lines for `--line`, by name. Those that come with `@riverqueue/migrate` are known without being named here;
   * naming one replaces it.
   */
  readonly migrationLines?: Readonly<Record<string, LineMigrations>> | undefined;
  /** Name of the program in help and errors, `riverqueue` by default. */
  readonly program?: string | undefined;
  /** Where answers to questions are read from; this process's standard input by default. No command asks any so far. */
  readonly stdin?: NodeJS.ReadableStream | undefined;
  /** Where results go; this process's standard output by default. */
  readonly stdout?: TextOutput | undefined;
  /** Where errors and log lines go; this process's standard error by default. */
  readonly stderr?: TextOutput | undefined;
}

/** Options with their defaults. */
export interface ResolvedRunOptions {
  readonly migrationLines: ReadonlyMap<string, LineMigrations>;
  readonly program: string;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
}

const KNOWN = ["migrationLines", "program", "stdin", "stdout", "stderr"];

/** @throws ConfigurationError naming the option that is wrong. */
export function resolveRunOptions(options: RunOptions = {}): ResolvedRunOptions {
  if (typeof options !== "object" || options === null) throw new ConfigurationError("options must be an object");
  for (const key of Object.keys(options)) {
    if (KNOWN.includes(key)) continue;
    const near = nearestName(key, KNOWN);
    const hint = near === null ? `known are ${KNOWN.join(", ")}` : `did you mean ${near}?`;
    throw new ConfigurationError(`options.${key} is not an option; ${hint}`);
  }
  const { migrationLines = {}, program = "riverqueue", stdin = process.stdin } = options;
  if (typeof program !== "string" || program === "") {
    throw new ConfigurationError("options.program must be a non-empty string");
  }
  if (typeof stdin?.on !== "function") throw new ConfigurationError("options.stdin must be a readable stream");
  return {
    migrationLines: readLines(migrationLines),
    program,
    stdout: readOutput(options.stdout, "options.stdout", process.stdout),
    stderr: readOutput(options.stderr, "options.stderr", process.stderr),
  };
}

function readLines(lines: unknown): ReadonlyMap<string, LineMigrations> {
  if (typeof lines !== "object" || lines === null) {
    throw new ConfigurationError("options.migrationLines must be an object of functions by name of the line");
  }
  const byName = new Map<string, LineMigrations>(Object.entries(lines));
  for (const [name, migrations] of byName) {
    if (typeof migrations === "function") continue;
    throw new ConfigurationError(`options.migrationLines.${name} must be a function that returns migrations`);
  }
  return byName;
}

function readOutput(value: TextOutput | undefined, path: string, fallback: TextOutput): TextOutput {
  if (value === undefined) return fallback;
  if (typeof value?.write === "function") return value;
  throw new ConfigurationError(`${path} must be a writable stream`);
}
