/** `migrate-list`: the versions of a line, and how far the database has come. */
import { createMigrator } from "@riverqueue/migrate";
import { findDatabase } from "../database/database-address.ts";
import { withDatabase } from "../database/with-database.ts";
import type { Command, CommandCall } from "./command.ts";
import { findLine } from "./find-line.ts";
import { formatVersion } from "./migration-text.ts";

/** Lists migrations. */
export const migrateList: Command = {
  name: "migrate-list",
  summary: "list migrations, and mark the newest applied one",
  description: "Lists all versions of a line. The newest one that is applied is marked with an asterisk.",
  flags: ["database-url", "schema", "line"],
  async run(call: CommandCall): Promise<number> {
    const { flags, report } = call;
    const address = findDatabase(flags["database-url"]);
    const line = findLine(call, address.backend);
    const options = { schema: flags.schema, statementTimeout: flags["statement-timeout"], mayCreate: false, report };
    await withDatabase(address, options, async (source) => {
      const migrator = createMigrator(source, line);
      const applied = new Set(await migrator.existingVersions());
      const newest = migrator.migrations.findLast(({ version }) => applied.has(version));
      for (const migration of migrator.migrations) {
        const mark = newest === undefined ? "" : migration === newest ? "* " : "  ";
        report.print(`${mark}${formatVersion(migration.version)} ${migration.name}`);
      }
    });
    return 0;
  },
};
