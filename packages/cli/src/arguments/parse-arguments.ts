/** From the words of a command line to the name of a command, its flags and what else was given. */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { CliProblem } from "../cli-problem.ts";
import { FLAGS, type FlagName, GLOBAL_FLAGS, type GivenFlags } from "./flags.ts";
import { nearestName } from "./nearest-name.ts";

/** What precedes the reading of a command's own flags. */
export interface FoundCommand {
  /** Null when only flags were given. */
  readonly name: string | null;
  /** The arguments without the name. */
  readonly rest: readonly string[];
  /** Whether `--version` was given without a command. */
  readonly asksForVersion: boolean;
}

/** What a command was given. */
export interface ParsedArguments {
  readonly flags: GivenFlags;
  readonly positionals: readonly string[];
}

type OptionToken = Extract<ReturnType<typeof tokenize>[number], { kind: "option" }>;

const ALL_FLAGS = Object.keys(FLAGS) as FlagName[];

/** Finds the command among `argv`; flags may stand before it. */
export function findCommand(argv: readonly string[]): FoundCommand {
  const tokens = tokenize(
    argv,
    ALL_FLAGS.filter((name) => name !== "version"),
  );
  const first = tokens.find((token) => token.kind === "positional");
  if (first !== undefined) return { name: first.value, rest: argv.toSpliced(first.index, 1), asksForVersion: false };
  const asksForVersion = argv.includes("--version");
  return { name: null, rest: argv.filter((word) => word !== "--version"), asksForVersion };
}

/**
 * Reads what was given to `command`.
 *
 * @param own - the flags that it takes beside the global ones
 * @throws CliProblem naming a flag that is unknown, or whose value is missing or wrong.
 */
export function parseArguments(
  command: string | null,
  own: readonly FlagName[],
  words: readonly string[],
): ParsedArguments {
  const known = [...own, ...GLOBAL_FLAGS];
  const tokens = tokenize(words, known);
  const texts = new Map<FlagName, string[]>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const name = known.find((flag) => flag === token.name);
    if (name === undefined) throw new CliProblem(unknownFlag(token, command, known));
    texts.set(name, [...(texts.get(name) ?? []), textOf(token, name)]);
  }
  const flags = Object.fromEntries([...texts].map(([name, given]) => [name, FLAGS[name].read(given, `--${name}`)]));
  return { flags, positionals: tokens.filter((token) => token.kind === "positional").map(({ value }) => value) };
}

/** Not strict, so that what is wrong is said in the words of this program. */
function tokenize(words: readonly string[], known: readonly FlagName[]) {
  const options: ParseArgsOptionsConfig = {};
  for (const name of known) {
    const { placeholder, short } = FLAGS[name];
    options[name] = { type: placeholder === null ? "boolean" : "string", ...(short !== undefined && { short }) };
  }
  return parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function textOf({ value, inlineValue }: OptionToken, name: FlagName): string {
  const { placeholder } = FLAGS[name];
  if (placeholder === null) return value ?? "true";
  const isFlag = inlineValue === false && value !== undefined && /^-\D/.test(value);
  if (value === undefined || isFlag) throw new CliProblem(`--${name} needs a value: --${name} ${placeholder}`);
  return value;
}

function unknownFlag({ name, rawName }: OptionToken, command: string | null, known: readonly FlagName[]): string {
  if (command === null) return `unknown flag ${rawName}${suggestion(name, known)}`;
  if (ALL_FLAGS.some((flag) => flag === name)) return `${command} does not take ${rawName}`;
  return `unknown flag ${rawName} of ${command}${suggestion(name, known)}`;
}

function suggestion(name: string, known: readonly FlagName[]): string {
  const near = name.length > 1 ? nearestName(name, known) : null;
  return near === null ? "" : `; did you mean --${near}?`;
}
