/** Decides each option of a job among the levels that give it: the call, the definition, the client. Pure. */
import type { InsertDurability, NormalizedInsertOptions } from "../definition/insert-options.ts";
import type { NormalizedUniqueOptions } from "../definition/unique-options.ts";
import type { JsonObject } from "../json/json-value.ts";
import { MAX_ATTEMPTS_DEFAULT, PRIORITY_DEFAULT, QUEUE_DEFAULT } from "../model/defaults.ts";

/** What holds for one job. */
export interface ResolvedInsertOptions {
  readonly queue: string;
  readonly priority: number;
  readonly maxAttempts: number;
  /** At most one of the two is given. */
  readonly scheduledAt: Temporal.Instant | null;
  readonly delay: Temporal.Duration | null;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly pending: boolean;
  readonly unique: NormalizedUniqueOptions | null;
  readonly durability: InsertDurability;
}

const NO_TAGS: readonly string[] = Object.freeze([]);
const NO_METADATA: JsonObject = Object.freeze(Object.create(null));

/**
 * The options of one job. At each level an option counts as given when it is not undefined, and is taken whole; time and
 * delay count as one option.
 *
 * @param levels - most specific first
 */
export function resolveInsertOptions(levels: readonly NormalizedInsertOptions[]): ResolvedInsertOptions {
  const timing = levels.find((level) => level.scheduledAt !== undefined || level.delay !== undefined);
  return {
    queue: mostSpecific(levels, "queue") ?? QUEUE_DEFAULT,
    priority: mostSpecific(levels, "priority") ?? PRIORITY_DEFAULT,
    maxAttempts: mostSpecific(levels, "maxAttempts") ?? MAX_ATTEMPTS_DEFAULT,
    scheduledAt: timing?.scheduledAt ?? null,
    delay: timing?.delay ?? null,
    tags: mostSpecific(levels, "tags") ?? NO_TAGS,
    metadata: mostSpecific(levels, "metadata") ?? NO_METADATA,
    pending: mostSpecific(levels, "pending") ?? false,
    unique: mostSpecific(levels, "unique") ?? null,
    durability: mostSpecific(levels, "durability") ?? "default",
  };
}

function mostSpecific<Name extends keyof NormalizedInsertOptions>(
  levels: readonly NormalizedInsertOptions[],
  name: Name,
): NormalizedInsertOptions[Name] {
  for (const level of levels) {
    if (level[name] !== undefined) return level[name];
  }
  return undefined;
}
