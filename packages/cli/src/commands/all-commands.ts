/** The commands, in the order of help. */
import { nearestName } from "../arguments/nearest-name.ts";
import { CliProblem } from "../cli-problem.ts";
import type { Command } from "./command.ts";
import { migrateGet } from "./migrate-get.ts";
import { migrateList } from "./migrate-list.ts";
import { migrateDown, migrateUp } from "./migrate.ts";
import { validate } from "./validate.ts";
import { version } from "./version.ts";

/** See the file header. */
export const COMMANDS: readonly Command[] = [migrateUp, migrateDown, migrateList, migrateGet, validate, version];

/** @throws CliProblem when there is no command of that name. */
export function findCommandNamed(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((candidate) => candidate.name);
  const near = nearestName(name, names);
  const hint = near === null ? `known are ${names.join(", ")}` : `did you mean ${near}?`;
  throw new CliProblem(`unknown command "${name}"; ${hint}`);
}
