/** Checks what callers pass in. Every message names the path of the bad value and what was expected. */
import { ConfigurationError, ValidationError } from "riverqueue/driver";
import type { Migration, MigrationBackend } from "./migration.ts";

type Fail = (message: string) => never;
type Fields = Readonly<Record<string, unknown>>;

const misconfigured: Fail = (message) => {
  throw new ConfigurationError(message);
};
const invalid: Fail = (message) => {
  throw new ValidationError(message);
};

/** The options as they are, once they are known to be an object with none but `known` keys. */
function readObject(value: unknown, path: string, known: readonly string[], fail: Fail): Fields {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail(`${path} must be an object`);
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === "symbol" || !known.includes(key)) {
      return fail(`${path}.${String(key)} is not an option; known are ${known.join(", ")}`);
    }
  }
  return value as Fields;
}

function readBoolean(value: unknown, fallback: boolean, path: string, fail: Fail): boolean {
  if (value === undefined) return fallback;
  return typeof value === "boolean" ? value : fail(`${path} must be a boolean`);
}

function readInteger(value: unknown, minimum: number, path: string, fail: Fail): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= minimum) return value;
  return fail(`${path} must be an integer of at least ${minimum}`);
}

/** @throws ConfigurationError unless `value` names a backend. */
export function checkBackend(value: unknown): asserts value is MigrationBackend {
  if (value !== "postgres" && value !== "sqlite") misconfigured('backend must be "postgres" or "sqlite"');
}

/** A schema name, null for the default one, or undefined. @throws ConfigurationError */
export function checkSchema(value: unknown, path: string): string | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return value;
  return misconfigured(`${path} must be the name of a schema`);
}

/** Options of `loadMigrations`. @throws ConfigurationError */
export function checkLoadOptions(value: unknown): { schema: string | null | undefined; ginIndexes: boolean } {
  const options = readObject(value, "options", ["schema", "ginIndexes"], misconfigured);
  return {
    schema: checkSchema(options["schema"], "options.schema"),
    ginIndexes: readBoolean(options["ginIndexes"], true, "options.ginIndexes", misconfigured),
  };
}

/** Options of `createMigrator`. @throws ConfigurationError */
export function checkMigratorOptions(value: unknown): {
  line: string | undefined;
  migrations: readonly Migration[] | undefined;
  ginIndexes: boolean;
} {
  const options = readObject(value, "options", ["line", "migrations", "ginIndexes"], misconfigured);
  return {
    line: checkLine(options["line"]),
    migrations: checkMigrations(options["migrations"]),
    ginIndexes: readBoolean(options["ginIndexes"], true, "options.ginIndexes", misconfigured),
  };
}

function checkLine(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.length > 0 && value.length < 128 && !value.includes("\0")) return value;
  return misconfigured("options.line must be a string of 1 to 127 characters");
}

function checkMigrations(value: unknown): readonly Migration[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0)
    return misconfigured("options.migrations must be a list with at least one");
  const migrations = value.map(checkMigration).toSorted((a, b) => a.version - b.version);
  for (const [index, { version }] of migrations.entries()) {
    if (version !== index + 1) misconfigured("options.migrations must have consecutive versions from 1, each once");
  }
  return migrations;
}

function checkMigration(value: unknown, index: number): Migration {
  const path = `options.migrations[${index}]`;
  const fields = readObject(value ?? null, path, ["version", "name", "upSql", "downSql"], misconfigured);
  const text = (key: string): string => {
    const found = fields[key];
    return typeof found === "string" && found.trim() !== ""
      ? found
      : misconfigured(`${path}.${key} must be a non-empty string`);
  };
  const version = readInteger(fields["version"], 1, `${path}.version`, misconfigured);
  if (version === undefined) return misconfigured(`${path}.version must be an integer of at least 1`);
  return { version, name: text("name"), upSql: text("upSql"), downSql: text("downSql") };
}

/** How far a run goes; undefined means no limit was given. */
export interface RunLimits {
  readonly maxSteps: number | undefined;
  readonly targetVersion: number | undefined;
}

/** Options of `migrateUp` and `migrateDown`. @throws ValidationError */
export function checkMigrateOptions(value: unknown): RunLimits & { readonly dryRun: boolean } {
  const options = readObject(value, "options", ["dryRun", "maxSteps", "targetVersion"], invalid);
  return {
    dryRun: readBoolean(options["dryRun"], false, "options.dryRun", invalid),
    maxSteps: readInteger(options["maxSteps"], -1, "options.maxSteps", invalid),
    targetVersion: readInteger(options["targetVersion"], -1, "options.targetVersion", invalid),
  };
}

/** Options of `validate`. @throws ValidationError */
export function checkValidateOptions(value: unknown): { readonly targetVersion: number | undefined } {
  const options = readObject(value, "options", ["targetVersion"], invalid);
  return { targetVersion: readInteger(options["targetVersion"], 1, "options.targetVersion", invalid) };
}
