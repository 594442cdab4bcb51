/** Sorts what extends a client by the moment it runs at: plugins in their order, then the client's own. */
import type { InsertHooks, InsertMiddleware } from "../insert/insert-context.ts";
import type { OptionProblems } from "../options/option-problems.ts";
import { type AnyFunction, readFunctions, readHooks, readPlugins } from "../work/read-plugins.ts";
import type { WorkMiddleware } from "../work/work-middleware.ts";
import type { ExtensionOptions, RiverHooks } from "./river-hooks.ts";

/** Frozen lists of functions in the order they run; middleware outermost first. */
export interface Extensions<Tx> {
  readonly beforeInsert: readonly NonNullable<InsertHooks["beforeInsert"]>[];
  readonly afterInsert: readonly NonNullable<InsertHooks["afterInsert"]>[];
  readonly insertMiddleware: readonly InsertMiddleware[];
  readonly beforeWork: readonly NonNullable<RiverHooks<Tx>["beforeWork"]>[];
  readonly afterWork: readonly NonNullable<RiverHooks<Tx>["afterWork"]>[];
  readonly middleware: readonly WorkMiddleware<Tx>[];
  readonly onEvent: readonly NonNullable<RiverHooks<Tx>["onEvent"]>[];
  readonly onMetric: readonly NonNullable<RiverHooks<Tx>["onMetric"]>[];
  readonly onPeriodicJobsStart: readonly NonNullable<RiverHooks<Tx>["onPeriodicJobsStart"]>[];
}

const HOOKS = ["beforeInsert", "afterInsert", "beforeWork", "afterWork", "onEvent", "onMetric", "onPeriodicJobsStart"];
const MIDDLEWARE = ["insertMiddleware", "middleware"];

/** Reads the extension options of a client; what is wrong with them goes to `problems`. */
export function resolveExtensions<Tx>(options: ExtensionOptions<Tx>, problems: OptionProblems): Extensions<Tx> {
  const plugins = readPlugins(problems, options.plugins, "plugins", { hooks: HOOKS, functions: MIDDLEWARE });
  const hooks = [...plugins.map((plugin) => plugin.hooks), readHooks(problems, options.hooks, "hooks", HOOKS)];
  const wrappers = (name: "insertMiddleware" | "middleware"): AnyFunction[] => [
    ...plugins.flatMap((plugin) => plugin.functions[name] ?? []),
    ...readFunctions(problems, options[name], name),
  ];
  const lists: Record<string, readonly AnyFunction[]> = {};
  for (const name of HOOKS) lists[name] = Object.freeze(hooks.flatMap((functions) => functions[name] ?? []));
  for (const name of ["insertMiddleware", "middleware"] as const) lists[name] = Object.freeze(wrappers(name));
  // Every list was filled above with functions found under its name.
  return Object.freeze(lists) as unknown as Extensions<Tx>;
}
