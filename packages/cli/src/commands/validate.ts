/** `validate`: whether every migration is applied, as an exit code. */
import { createMigrator } from "@riverqueue/migrate";
import { findDatabase } from "../database/database-address.ts";
import { withDatabase } from "../database/with-database.ts";
import type { Command, CommandCall } from "./command.ts";
import { findLine } from "./find-line.ts";

/** Validates. */
export const validate: Command = {
  name: "validate",
  summary: "exit with 1 when migrations are missing",
  description: `Exits with 0 when every migration of the line is applied and with 1 when not. Prints nothing; with --verbose the
missing versions are logged. Versions newer than this program knows do not count.`,
  flags: ["database-url", "schema", "line"],
  async run(call: CommandCall): Promise<number> {
    const { flags, report } = call;
    const address = findDatabase(flags["database-url"]);
    const line = findLine(call, address.backend);
    const options = { schema: flags.schema, statementTimeout: flags["statement-timeout"], mayCreate: false, report };
    const { ok, messages } = await withDatabase(address, options, (source) => createMigrator(source, line).validate());
    for (const message of messages) report.log("info", message);
    return ok ? 0 : 1;
  },
};
