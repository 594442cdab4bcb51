/** Conditions that lists and bulk deletions are put together from. */
import type { JobFilter } from "riverqueue/driver";
import type { Dialect } from "../../connection/dialect.ts";
import type { PgValue } from "../../connection/pg-connection.ts";
import { formatArray } from "../../record/pg-array.ts";

/** Collects values and hands out their placeholders. */
export class Placeholders {
  readonly values: PgValue[] = [];

  /** The placeholder of `value`. */
  add(value: PgValue): string {
    return `$${this.values.push(value)}`;
  }
}

/** One condition for each given filter; an empty list matches nothing. */
export function filterConditions({ prefix }: Dialect, filter: JobFilter, placeholders: Placeholders): string[] {
  const conditions: string[] = [];
  const addSet = (column: string, type: string, values: readonly unknown[] | undefined): void => {
    if (values === undefined) return;
    conditions.push(`${column} = ANY (${placeholders.add(formatArray(values.map(String)))}::${type}[])`);
  };
  addSet("job.id", "bigint", filter.ids);
  addSet("job.kind", "text", filter.kinds);
  addSet("job.priority", "smallint", filter.priorities);
  addSet("job.queue", "text", filter.queues);
  addSet("job.state", `${prefix}river_job_state`, filter.states);
  return conditions;
}

/** All conditions together. */
export function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "true" : conditions.map((condition) => `(${condition})`).join(" AND ");
}
