/** Which versions a run applies or takes out. Pure. */
import type { RunLimits } from "./check-options.ts";
import type { Migration, MigrationDirection } from "./migration.ts";
import { MigrationProblem } from "./migration-problem.ts";

/** What a plan is made from. */
export interface PlanInput extends RunLimits {
  readonly direction: MigrationDirection;
  /** Ascending. */
  readonly known: readonly Migration[];
  readonly applied: ReadonlySet<number>;
}

/**
 * The versions to run, in order.
 *
 * @throws MigrationProblem when the target is not known, or on the way down not applied or out of reach of `maxSteps`.
 */
export function planSteps(input: PlanInput): Migration[] {
  return input.direction === "up" ? planUp(input) : planDown(input);
}

function planUp(input: PlanInput): Migration[] {
  const { known, applied, targetVersion } = input;
  if (targetVersion !== undefined) {
    requireKnown(known, targetVersion);
    // A target that is applied is reached, even if a version below it is missing.
    if (applied.has(targetVersion)) return [];
  }
  return known
    .filter(({ version }) => !applied.has(version) && version <= (targetVersion ?? version))
    .slice(0, stepLimit("up", input));
}

function planDown(input: PlanInput): Migration[] {
  const { known, applied, targetVersion } = input;
  const limit = stepLimit("down", input);
  const removable = known.filter(({ version }) => applied.has(version)).toReversed();
  if (targetVersion === undefined || targetVersion <= 0) return removable.slice(0, limit);

  requireKnown(known, targetVersion);
  if (!applied.has(targetVersion)) throw new MigrationProblem(`version ${targetVersion} is not applied`);
  const steps = removable.filter(({ version }) => version > targetVersion);
  if (limit !== undefined && steps.length > limit) {
    throw new MigrationProblem(`version ${targetVersion} is ${steps.length} steps away, more than maxSteps allows`);
  }
  return steps;
}

/** At most so many steps, 0 for none; undefined for no limit. Down takes one step unless told how far. */
export function stepLimit(direction: MigrationDirection, { maxSteps, targetVersion }: RunLimits): number | undefined {
  if (maxSteps !== undefined) return Math.max(0, maxSteps);
  return direction === "down" && targetVersion === undefined ? 1 : undefined;
}

/** @throws MigrationProblem unless `version` is among `known`. */
export function requireKnown(known: readonly Migration[], version: number): void {
  if (known.some((migration) => migration.version === version)) return;
  throw new MigrationProblem(`version ${version} is not known; known are 1 to ${known.length}`);
}
