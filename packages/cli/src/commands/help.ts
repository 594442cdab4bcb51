/** The texts of help. */
import { FLAGS, type FlagName, GLOBAL_FLAGS } from "../arguments/flags.ts";
import { COMMANDS } from "./all-commands.ts";
import type { Command } from "./command.ts";

/** Help for the whole program. */
export function programHelp(program: string): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    `Usage: ${program} COMMAND [flags]`,
    section(
      "Commands",
      COMMANDS.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`),
    ),
    section("Flags of every command", flagLines(GLOBAL_FLAGS)),
    `${program} COMMAND --help tells more about a command.`,
  ].join("\n\n");
}

/** Help for one command. */
export function commandHelp(program: string, { name, description, flags }: Command): string {
  return [
    `Usage: ${program} ${name} [flags]`,
    description,
    ...(flags.length === 0 ? [] : [section("Flags", flagLines(flags))]),
    section("Flags of every command", flagLines(GLOBAL_FLAGS)),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines.map((line) => `  ${line}`)].join("\n");
}

function flagLines(names: readonly FlagName[]): string[] {
  const forms = names.map((name) => {
    const { short, placeholder } = FLAGS[name];
    return `${short === undefined ? "    " : `-${short}, `}--${name}${placeholder === null ? "" : ` ${placeholder}`}`;
  });
  const width = Math.max(...forms.map((form) => form.length));
  return names.map((name, index) => `${(forms[index] ?? "").padEnd(width)}  ${FLAGS[name].summary}`);
}
