/** What a command is. */
import type { FlagName, GivenFlags } from "../arguments/flags.ts";
import type { LineMigrations } from "../run-options.ts";
import type { Report } from "../report/report.ts";

/** What a command works with. */
export interface CommandCall {
  readonly flags: GivenFlags;
  readonly report: Report;
  /** Lines that the embedding program brings. */
  readonly migrationLines: ReadonlyMap<string, LineMigrations>;
}

/** One command. */
export interface Command {
  readonly name: string;
  /** A few words for the list of commands. */
  readonly summary: string;
  /** What help says on top of the flags. */
  readonly description: string;
  /** Flags beside the global ones, in the order of help. */
  readonly flags: readonly FlagName[];
  /** Resolves to the exit code. */
  run(call: CommandCall): Promise<number>;
}
