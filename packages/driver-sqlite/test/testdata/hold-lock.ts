/** Takes the write lock, says so, and gives it back when standard input ends. */
import { DatabaseSync } from "node:sqlite";

const [, , path = ""] = process.argv;
const database = new DatabaseSync(path);
database.exec("BEGIN IMMEDIATE");
console.log(JSON.stringify("locked"));
process.stdin.on("end", () => {
  database.exec("COMMIT");
  database.close();
});
process.stdin.resume();
