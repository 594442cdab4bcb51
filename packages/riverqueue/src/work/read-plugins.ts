/** Reads hooks, middleware and plugins, whose shape is the same for one kind and for a whole client. */
import { isPlainObject, type OptionProblems } from "../options/option-problems.ts";

/** Any function of the application. */
export type AnyFunction = (...args: never[]) => unknown;

/** Functions by hook name; each is bound to the object it came from. */
export type HookFunctions = Readonly<Record<string, AnyFunction>>;

/** One plugin that has been read. */
export interface ReadPlugin {
  readonly hooks: HookFunctions;
  /** Functions by the name of their option, in order. */
  readonly functions: Readonly<Record<string, readonly AnyFunction[]>>;
}

/** Reads an optional object of hooks. */
export function readHooks(
  problems: OptionProblems,
  value: unknown,
  path: string,
  names: readonly string[],
): HookFunctions {
  const hooks: Record<string, AnyFunction> = {};
  if (value === undefined) return hooks;
  for (const [name, hook] of Object.entries(problems.object(value, path, names))) {
    if (hook === undefined || !names.includes(name)) continue;
    if (typeof hook === "function") hooks[name] = hook.bind(value) as AnyFunction;
    else problems.add(`${path}.${name}`, "must be a function");
  }
  return hooks;
}

/** Reads an optional function or list of functions. */
export function readFunctions(problems: OptionProblems, value: unknown, path: string): readonly AnyFunction[] {
  if (value === undefined) return [];
  if (typeof value === "function") return [value as AnyFunction];
  if (!Array.isArray(value)) {
    problems.add(path, "must be an array of functions");
    return [];
  }
  const functions: AnyFunction[] = [];
  for (const [index, entry] of value.entries()) {
    if (typeof entry === "function") functions.push(entry as AnyFunction);
    else problems.add(`${path}[${index}]`, "must be a function");
  }
  return functions;
}

/** Reads an optional list of plugins. */
export function readPlugins(
  problems: OptionProblems,
  value: unknown,
  path: string,
  known: { readonly hooks: readonly string[]; readonly functions: readonly string[] },
): readonly ReadPlugin[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    problems.add(path, "must be an array of plugins");
    return [];
  }
  const names = new Set<string>();
  // Not `map`, which passes over holes.
  return Array.from(value, (entry: unknown, index) => readPlugin(problems, entry, `${path}[${index}]`, known, names));
}

function readPlugin(
  problems: OptionProblems,
  value: unknown,
  path: string,
  known: { readonly hooks: readonly string[]; readonly functions: readonly string[] },
  names: Set<string>,
): ReadPlugin {
  const plugin = problems.object(value, path, ["name", "hooks", ...known.functions]);
  if (isPlainObject(value)) readPluginName(problems, plugin["name"], `${path}.name`, names);
  const functions: Record<string, readonly AnyFunction[]> = {};
  for (const name of known.functions) functions[name] = readFunctions(problems, plugin[name], `${path}.${name}`);
  return { hooks: readHooks(problems, plugin["hooks"], `${path}.hooks`, known.hooks), functions };
}

function readPluginName(problems: OptionProblems, name: unknown, path: string, names: Set<string>): void {
  if (typeof name !== "string" || name === "") problems.add(path, "must be a string that is not empty");
  else if (names.has(name)) problems.add(path, `must be unique; ${JSON.stringify(name)} is used twice`);
  else names.add(name);
}
