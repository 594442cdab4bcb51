/** Checks which days are to be counted, and how, before a store is asked. */
import { OptionProblems } from "../kit/option-problems.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** @throws ValidationError naming everything that is wrong; `also` names what may be given beside the days. */
export function checkRange<Range extends object>(range: Range, also: readonly ("limit" | "name")[]): Range {
  const problems = new OptionProblems();
  const given = problems.object(range, "range", ["from", "to", ...also]);
  for (const end of ["from", "to"]) {
    if (!isDay(given[end])) problems.add(`range.${end}`, "must be a day such as 2026-01-31");
  }
  if (given["name"] !== undefined) problems.text(given["name"], "range.name");
  problems.integer(given["limit"], "range.limit", 0, { min: 1, max: 1000 });
  problems.throwValidation();
  return range;
}

function isDay(value: unknown): boolean {
  return typeof value === "string" && DAY.test(value) && Number.isFinite(Date.parse(value));
}
