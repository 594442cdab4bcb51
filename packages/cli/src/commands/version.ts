/** `version`: what this program is, and what runs it. */
import { readFileSync } from "node:fs";
import type { Command, CommandCall } from "./command.ts";

/** Prints versions. */
export const version: Command = {
  name: "version",
  summary: "print the versions of this program and of Node.js",
  description: "Prints the versions of this program and of the Node.js that runs it.",
  flags: [],
  async run({ report }: CommandCall): Promise<number> {
    report.print(`River version ${readVersion()}\nNode.js ${process.version}`);
    return 0;
  },
};

/** From this package's own package.json, which a bundle does not have beside it. */
function readVersion(): string {
  try {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    const { name, version: stamped } = JSON.parse(text) as { readonly name?: unknown; readonly version?: unknown };
    if (name === "@riverqueue/cli" && typeof stamped === "string") return stamped;
  } catch {
    // Said below.
  }
  return "(unknown)";
}
