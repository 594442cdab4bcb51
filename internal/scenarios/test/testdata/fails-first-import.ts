/** A module that cannot be loaded the first time: a file, which the environment names, tells of that. */
import { existsSync, writeFileSync } from "node:fs";

const path = process.env["RIVER_FIRST_IMPORT"] ?? "";
if (!existsSync(path)) {
  writeFileSync(path, "");
  throw new Error("first import");
}

export function succeed(): void {}
