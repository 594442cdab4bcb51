// Compares what an entry exports with what it shall export, both ways.
import type { Surface } from "./read-surface.ts";

/** What an entry shall export. */
export interface ListedSurface {
  /** Functions, constants and classes; a class is not listed again among the types. */
  readonly values: readonly string[];
  /** Types without a value. A name that is both, other than a class, is in both lists. */
  readonly types: readonly string[];
  /** What this project adds to the API that River's JavaScript clients share: names, and members as `Owner.member`. */
  readonly additions: readonly string[];
}

/**
 * Says in words how the two differ. Empty when they do not.
 *
 * @param listed Exported names that are additions are listed among the additions only.
 */
export function compareSurface(listed: ListedSurface, found: Surface): string[] {
  const added = new Set(listed.additions);
  const shared = found.names.filter(({ name }) => !added.has(name));
  const values = shared.filter(({ isValue }) => isValue).map(({ name }) => name);
  const types = shared.filter(({ isValue }) => !isValue).map(({ name }) => name);
  return [
    ...differences("value", listed.values, values),
    ...differences(
      "type",
      listed.types.filter((name) => !listed.values.includes(name)),
      types,
    ),
    ...listed.types
      .filter((name) => listed.values.includes(name) && found.names.some((one) => one.name === name && !one.isType))
      .map((name) => `type ${name} is missing beside the value`),
    ...differences("addition", listed.additions, found.additions),
    ...found.names.filter(({ isDocumented }) => !isDocumented).map(({ name }) => `${name} has no docstring`),
  ];
}

function differences(what: string, listed: readonly string[], found: readonly string[]): string[] {
  const beyond = what === "addition" ? "is marked @addition and not listed" : "is exported and not listed";
  return [
    ...listed.filter((name) => !found.includes(name)).map((name) => `${what} ${name} is missing`),
    ...found.filter((name) => !listed.includes(name)).map((name) => `${what} ${name} ${beyond}`),
  ];
}
