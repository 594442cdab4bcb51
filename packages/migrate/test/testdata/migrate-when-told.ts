/** Child process: opens the file of its first argument, says so, and migrates it up as soon as it is told to. */
import { DatabaseSync } from "node:sqlite";
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import { createMigrator } from "@riverqueue/migrate";

const [path = ""] = process.argv.slice(2);
const database = new DatabaseSync(path);
say("ready");
await hear();
const { versions } = await createMigrator({ database }).migrateUp();
database.close();
say(versions.map(({ version }) => version));
