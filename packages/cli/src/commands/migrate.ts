/** `migrate-up` and `migrate-down`. */
import { createMigrator, type MigrateResult, type MigrationDirection } from "@riverqueue/migrate";
import type { FlagName } from "../arguments/flags.ts";
import { formatGoDuration } from "../arguments/go-duration.ts";
import { findDatabase } from "../database/database-address.ts";
import { withDatabase } from "../database/with-database.ts";
import type { Command, CommandCall } from "./command.ts";
import { findLine } from "./find-line.ts";
import { formatSql, formatVersion } from "./migration-text.ts";

const FLAGS: readonly FlagName[] = [
  "database-url",
  "schema",
  "line",
  "target-version",
  "max-steps",
  "dry-run",
  "show-sql",
];
const RULE = "-".repeat(80);

/** Applies migrations. */
export const migrateUp: Command = {
  name: "migrate-up",
  summary: "apply migrations",
  description: `Applies the migrations that the database lacks: all of them, or as far as --target-version and --max-steps say.
Each runs in a transaction of its own together with its record. On Postgres the schema must exist; on SQLite the file
is made if it does not exist.`,
  flags: FLAGS,
  run: (call) => migrate("up", call),
};

/** Takes migrations out. */
export const migrateDown: Command = {
  name: "migrate-down",
  summary: "take migrations out",
  description: `Takes out the newest migration, or as many as --max-steps says, or those above --target-version. What the tables
hold goes with them: --target-version 0 removes all of River's tables and every job in them.`,
  flags: FLAGS,
  run: (call) => migrate("down", call),
};

async function migrate(direction: MigrationDirection, call: CommandCall): Promise<number> {
  const { flags, report } = call;
  const address = findDatabase(flags["database-url"]);
  const line = findLine(call, address.backend);
  const limits = { maxSteps: flags["max-steps"], targetVersion: flags["target-version"] };
  const dryRun = flags["dry-run"] === true;
  const result = await withDatabase(
    address,
    {
      schema: flags.schema,
      statementTimeout: flags["statement-timeout"],
      mayCreate: direction === "up" && !dryRun,
      report,
    },
    (source) => {
      const migrator = createMigrator(source, line);
      const options = { dryRun, ...limits };
      return direction === "up" ? migrator.migrateUp(options) : migrator.migrateDown(options);
    },
  );
  print(call, line.line, result);
  return 0;
}

function print({ flags, report }: CommandCall, line: string, { direction, versions }: MigrateResult): void {
  if (versions.length === 0) return report.print("no migrations to apply");
  const width = Math.max(...versions.map(({ name }) => name.length));
  for (const { version, name, duration, sql } of versions) {
    const what = `migration ${formatVersion(version)} [${direction}] ${name.padEnd(width)}`;
    report.print(flags["dry-run"] === true ? `${what} [DRY RUN]` : `applied ${what} [${formatGoDuration(duration)}]`);
    if (flags["show-sql"] === true) report.print(`${RULE}\n${formatSql(line, version, direction, sql)}\n`);
  }
  if (versions.length < (flags["max-steps"] ?? 0)) report.print("no more migrations to apply");
}
