/** Runs one command line inside a process that is not ended by it. */
import { assertRuntimeSupport } from "riverqueue";
import { findCommand, parseArguments } from "./arguments/parse-arguments.ts";
import { CliProblem } from "./cli-problem.ts";
import { findCommandNamed } from "./commands/all-commands.ts";
import type { Command } from "./commands/command.ts";
import { commandHelp, programHelp } from "./commands/help.ts";
import { version } from "./commands/version.ts";
import { describeCauses, describeError } from "./report/describe-error.ts";
import { Report } from "./report/report.ts";
import { type ResolvedRunOptions, resolveRunOptions, type RunOptions } from "./run-options.ts";

/**
 * Runs a command of `riverqueue`.
 *
 * @param argv - the words after the program's name: `process.argv.slice(2)`
 * @returns The exit code: 0, or 1 when the command failed, when its arguments are wrong, and when `validate` finds
 * migrations missing. Never rejects: what is wrong is one line, without secrets, on `options.stderr`.
 */
export async function run(argv: readonly string[], options?: RunOptions): Promise<number> {
  let report = new Report("riverqueue", process.stdout, process.stderr);
  try {
    const resolved = resolveRunOptions(options);
    report = new Report(resolved.program, resolved.stdout, resolved.stderr);
    if (!Array.isArray(argv) || !argv.every((word) => typeof word === "string")) {
      throw new CliProblem("argv must be a list of strings");
    }
    return await runCommand(argv, resolved, report);
  } catch (error) {
    complain(report, error);
    return 1;
  }
}

async function runCommand(argv: readonly string[], options: ResolvedRunOptions, report: Report): Promise<number> {
  const { name, rest, asksForVersion } = findCommand(argv);
  if (name === "help") return printHelp(options.program, parseArguments(name, [], rest).positionals, report);
  const named = name === null ? null : findCommandNamed(name);
  const { flags, positionals } = parseArguments(name, named?.flags ?? [], rest);
  if (positionals.length > 0) throw new CliProblem(`unexpected argument "${positionals[0]}" of ${name}`);
  if (flags.debug === true && flags.verbose === true) throw new CliProblem("--debug and --verbose exclude each other");
  const command: Command | null = asksForVersion ? version : named;
  if (command === null) return printHelp(options.program, [], report);
  if (flags.help === true) return printHelp(options.program, [command.name], report);
  report.level = flags.debug === true ? "debug" : flags.verbose === true ? "info" : "warning";
  assertRuntimeSupport();
  return command.run({ flags, report, migrationLines: options.migrationLines });
}

function printHelp(program: string, [topic, ...others]: readonly string[], report: Report): number {
  if (others.length > 0) throw new CliProblem("help is for one command at a time");
  report.print(topic === undefined ? programHelp(program) : commandHelp(program, findCommandNamed(topic)));
  return 0;
}

/** A stream that cannot be written to leaves nobody to tell. */
function complain(report: Report, error: unknown): void {
  try {
    report.error(describeError(error));
    for (const cause of describeCauses(error)) report.log("debug", cause);
  } catch {
    // The exit code still tells.
  }
}
