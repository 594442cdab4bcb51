/** Opens a notice stream, says so, and has nothing else to do. */
import { DatabaseSync } from "node:sqlite";
import { SqliteDriver } from "@riverqueue/driver-sqlite";

const [, , path = ""] = process.argv;
const driver = new SqliteDriver(new DatabaseSync(path));
await driver.notices.listen({ topics: ["river_insert"], onNotice: () => undefined, onLost: () => undefined });
console.log(JSON.stringify("listening"));
