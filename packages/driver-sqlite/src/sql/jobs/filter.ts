/** Conditions that lists and bulk deletions are put together from, each with its one parameter. */
import type { JobFilter } from "riverqueue/driver";
import type { SqliteValue } from "../../connection/sqlite-connection.ts";

/** SQL text with the values of its placeholders, in order. */
export interface SqlFragment {
  readonly text: string;
  readonly values: readonly SqliteValue[];
}

/** One condition for each given filter; an empty list matches nothing. */
export function filterConditions(filter: JobFilter): SqlFragment[] {
  const conditions: SqlFragment[] = [];
  const addSet = (column: string, json: string | undefined): void => {
    if (json !== undefined) conditions.push({ text: `${column} IN (SELECT value FROM json_each(?))`, values: [json] });
  };
  addSet("id", filter.ids && `[${filter.ids.join(",")}]`);
  addSet("kind", filter.kinds && JSON.stringify(filter.kinds));
  addSet("priority", filter.priorities && JSON.stringify(filter.priorities));
  addSet("queue", filter.queues && JSON.stringify(filter.queues));
  addSet("state", filter.states && JSON.stringify(filter.states));
  return conditions;
}

// A row whose tags were damaged has none.
const TAGS = "json_each(CASE WHEN json_valid(tags, 10) THEN tags ELSE '[]' END) AS tag";

/** The job has every one of `tags`. */
export function hasAllTags(tags: readonly string[]): SqlFragment {
  const missing = `SELECT 1 FROM json_each(?) AS wanted
    WHERE wanted.value NOT IN (SELECT tag.value FROM ${TAGS} WHERE tag.type = 'text')`;
  return { text: `NOT EXISTS (${missing})`, values: [JSON.stringify(tags)] };
}

/** The job has at least one of `tags`. */
export function hasAnyTag(tags: readonly string[]): SqlFragment {
  const found = `SELECT 1 FROM ${TAGS} WHERE tag.type = 'text' AND tag.value IN (SELECT value FROM json_each(?))`;
  return { text: `EXISTS (${found})`, values: [JSON.stringify(tags)] };
}

/** All conditions together. */
export function allOf(conditions: readonly SqlFragment[]): SqlFragment {
  if (conditions.length === 0) return { text: "1", values: [] };
  return {
    text: conditions.map(({ text }) => `(${text})`).join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}
