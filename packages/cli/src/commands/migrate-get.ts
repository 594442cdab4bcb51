/** `migrate-get`: the SQL of migrations, for other tools. Reaches no database. */
import { createMigrator, type Migration } from "@riverqueue/migrate";
import type { GivenFlags } from "../arguments/flags.ts";
import { CliProblem } from "../cli-problem.ts";
import { parseDatabaseUrl } from "../database/database-address.ts";
import { offlineSource } from "../database/offline-source.ts";
import { refuseSchemaOnSqlite } from "../database/with-database.ts";
import type { Command, CommandCall } from "./command.ts";
import { findLine } from "./find-line.ts";
import { formatSql } from "./migration-text.ts";

/** Prints SQL. */
export const migrateGet: Command = {
  name: "migrate-get",
  summary: "print the SQL of migrations",
  description: `Prints the SQL of migrations, for a tool that runs them in place of this one. Versions are printed as listed:
  migrate-get --version 3 --up
  migrate-get --version 3,2 --down
  migrate-get --all --exclude-version 1 --up     without the table of River's own migration records
The SQL is for Postgres unless --database-url says otherwise, for which sqlite:// is enough; no database is read.`,
  flags: ["version", "all", "up", "down", "exclude-version", "line", "schema", "database-url"],
  async run(call: CommandCall): Promise<number> {
    const { flags, report } = call;
    const direction = readDirection(flags);
    const address = parseDatabaseUrl(flags["database-url"] ?? "postgres://");
    refuseSchemaOnSqlite(address, flags.schema);
    const line = findLine(call, address.backend);
    const { migrations } = createMigrator(offlineSource(address.backend, flags.schema), line);
    const texts = selectMigrations(flags, migrations).map(({ version, upSql, downSql }) =>
      formatSql(line.line, version, direction, direction === "up" ? upSql : downSql),
    );
    if (texts.length > 0) report.print(texts.join("\n\n"));
    return 0;
  },
};

function readDirection({ up, down }: GivenFlags): "up" | "down" {
  if (up === true && down === true) throw new CliProblem("--up and --down exclude each other");
  if (up !== true && down !== true) throw new CliProblem("one of --up and --down is needed");
  return up === true ? "up" : "down";
}

function selectMigrations(flags: GivenFlags, known: readonly Migration[]): Migration[] {
  const { all, version: versions, "exclude-version": excluded = [] } = flags;
  if (all === true && versions !== undefined) throw new CliProblem("--all and --version exclude each other");
  if (all !== true && versions === undefined) throw new CliProblem("one of --all and --version is needed");
  const chosen =
    versions?.map((version) => findVersion(version, known)) ?? (flags.down === true ? known.toReversed() : known);
  return chosen.filter(({ version }) => !excluded.includes(version));
}

function findVersion(version: number, known: readonly Migration[]): Migration {
  const found = known.find((migration) => migration.version === version);
  if (found === undefined) throw new CliProblem(`version ${version} is not known; known are 1 to ${known.length}`);
  return found;
}
