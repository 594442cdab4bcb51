/** Checks what callers pass in. One error names everything wrong with one set of options, each with its path. */
import { ConfigurationError, OptionProblems } from "riverqueue/driver";
import {
  MIGRATION_LINE_MAIN,
  MIGRATION_LINES,
  type Migration,
  type MigrationBackend,
  type MigrationLineName,
} from "./migration.ts";

type Fields = Readonly<Record<string, unknown>>;

function readBoolean(problems: OptionProblems, fields: Fields, key: string, fallback: boolean): boolean {
  const value = fields[key];
  if (value === undefined || typeof value === "boolean") return value ?? fallback;
  problems.add(`options.${key}`, "must be a boolean");
  return fallback;
}

function readInteger(problems: OptionProblems, value: unknown, path: string, minimum: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= minimum) return value;
  problems.add(path, `must be an integer of at least ${minimum}`);
  return undefined;
}

/** @throws ConfigurationError unless `value` names a backend. */
export function checkBackend(value: unknown): asserts value is MigrationBackend {
  if (value === "postgres" || value === "sqlite") return;
  throw new ConfigurationError('backend must be "postgres" or "sqlite"');
}

/** A schema name, null for the default one, or undefined; null with a problem when it is none of these. */
export function readSchema(problems: OptionProblems, value: unknown, path: string): string | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return value;
  problems.add(path, "must be the name of a schema");
  return null;
}

function isKnownLine(name: unknown): name is MigrationLineName {
  return MIGRATION_LINES.some((known) => known === name);
}

/** Checked options of `loadMigrations`. */
export interface LoadOptions {
  readonly line: MigrationLineName;
  readonly schema: string | null | undefined;
  readonly ginIndexes: boolean;
}

/** Options of `loadMigrations`. @throws ConfigurationError */
export function checkLoadOptions(value: unknown = {}): LoadOptions {
  const problems = new OptionProblems();
  const options = problems.object(value, "options", ["line", "schema", "ginIndexes"]);
  const { line = MIGRATION_LINE_MAIN } = options;
  if (!isKnownLine(line)) problems.add("options.line", `must be one of ${MIGRATION_LINES.join(", ")}`);
  const schema = readSchema(problems, options["schema"], "options.schema");
  const ginIndexes = readBoolean(problems, options, "ginIndexes", true);
  problems.throwConfiguration();
  return { line: line as MigrationLineName, schema, ginIndexes };
}

/** Checked options of `createMigrator`: a line that comes with this package, or any with migrations of its own. */
export type CheckedMigratorOptions =
  | { readonly line: MigrationLineName; readonly migrations: null; readonly ginIndexes: boolean }
  | { readonly line: string; readonly migrations: readonly Migration[]; readonly ginIndexes: boolean };

/** Options of `createMigrator`. @throws ConfigurationError */
export function checkMigratorOptions(value: unknown = {}): CheckedMigratorOptions {
  const problems = new OptionProblems();
  const options = problems.object(value, "options", ["line", "migrations", "ginIndexes"]);
  const { line = MIGRATION_LINE_MAIN } = options;
  const migrations = readMigrations(problems, options["migrations"]);
  if (typeof line !== "string" || line.length === 0 || line.length > 127 || line.includes("\0")) {
    problems.add("options.line", "must be a string of 1 to 127 characters");
  } else if (migrations === null && !isKnownLine(line)) {
    const lines = MIGRATION_LINES.map((name) => JSON.stringify(name)).join(", ");
    problems.add("options.migrations", `must be given for a line other than ${lines}`);
  }
  const ginIndexes = readBoolean(problems, options, "ginIndexes", true);
  problems.throwConfiguration();
  return { line, migrations, ginIndexes } as CheckedMigratorOptions;
}

/** The migrations in order; null when none are given. */
function readMigrations(problems: OptionProblems, value: unknown): readonly Migration[] | null {
  if (value === undefined) return null;
  if (!Array.isArray(value) || value.length === 0) {
    problems.add("options.migrations", "must be a list with at least one");
    return [];
  }
  const migrations = value.map((each, index) => readMigration(problems, each, `options.migrations[${index}]`));
  if (migrations.some(({ version }) => version === undefined)) return [];
  const sorted = (migrations as Migration[]).toSorted((a, b) => a.version - b.version);
  if (sorted.some(({ version }, index) => version !== index + 1)) {
    problems.add("options.migrations", "must have consecutive versions from 1, each once");
  }
  return sorted;
}

/** One migration as far as it is readable; the version is absent when it is not. */
function readMigration(
  problems: OptionProblems,
  value: unknown,
  path: string,
): Omit<Migration, "version"> & { readonly version: number | undefined } {
  const fields = problems.object(value, path, ["version", "name", "upSql", "downSql"]);
  const text = (key: string): string => {
    const found = fields[key];
    if (typeof found === "string" && found.trim() !== "") return found;
    problems.add(`${path}.${key}`, "must be a non-empty string");
    return "";
  };
  const version = readInteger(problems, fields["version"] ?? null, `${path}.version`, 1);
  return { version, name: text("name"), upSql: text("upSql"), downSql: text("downSql") };
}

/** How far a run goes; undefined means no limit was given. */
export interface RunLimits {
  readonly maxSteps: number | undefined;
  readonly targetVersion: number | undefined;
}

/** Options of `migrateUp` and `migrateDown`. @throws ValidationError */
export function checkMigrateOptions(value: unknown = {}): RunLimits & { readonly dryRun: boolean } {
  const problems = new OptionProblems();
  const options = problems.object(value, "options", ["dryRun", "maxSteps", "targetVersion"]);
  const dryRun = readBoolean(problems, options, "dryRun", false);
  const maxSteps = readInteger(problems, options["maxSteps"], "options.maxSteps", -1);
  const targetVersion = readInteger(problems, options["targetVersion"], "options.targetVersion", -1);
  problems.throwValidation();
  return { dryRun, maxSteps, targetVersion };
}

/** Options of `validate`. @throws ValidationError */
export function checkValidateOptions(value: unknown = {}): { readonly targetVersion: number | undefined } {
  const problems = new OptionProblems();
  const options = problems.object(value, "options", ["targetVersion"]);
  const targetVersion = readInteger(problems, options["targetVersion"], "options.targetVersion", 1);
  problems.throwValidation();
  return { targetVersion };
}
