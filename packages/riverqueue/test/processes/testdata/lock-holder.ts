/** Takes the write lock, says so, and gives it back when its input ends. */
import { DatabaseSync } from "node:sqlite";
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";

const [, , path = ""] = process.argv;
const database = new DatabaseSync(path, { timeout: 5_000 });
database.exec("BEGIN IMMEDIATE");
say("locked");
await hear();
database.exec("COMMIT");
database.close();
