/** The five fields of a cron expression: their grammar, and which wall times they match. */
import { ConfigurationError } from "../model/errors/configuration-error.ts";

/** One field: the numbers it matches, and whether it counts as unrestricted for the rule about days. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /** At least one item is a wildcard with step 1. */
  readonly starred: boolean;
}

/** The fields of one expression. */
export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  /** 0 is Sunday. */
  readonly dayOfWeek: CronField;
}

interface FieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names in order, the first one standing for `min`. */
  readonly names: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const MINUTE: FieldRule = { name: "minute", min: 0, max: 59, names: [] };
const HOUR: FieldRule = { name: "hour", min: 0, max: 23, names: [] };
const DAY_OF_MONTH: FieldRule = { name: "day of month", min: 1, max: 31, names: [] };
const MONTH: FieldRule = { name: "month", min: 1, max: 12, names: MONTHS };
const DAY_OF_WEEK: FieldRule = { name: "day of week", min: 0, max: 6, names: WEEKDAYS };

/**
 * Reads the texts of the five fields.
 *
 * @throws ConfigurationError naming the field and what is wrong with it.
 */
export function readCronFields(texts: readonly string[]): CronFields {
  const [minute, hour, dayOfMonth, month, dayOfWeek] = texts;
  if (texts.length !== 5 || !minute || !hour || !dayOfMonth || !month || !dayOfWeek) {
    throw new ConfigurationError(
      `expression must have five fields (minute, hour, day of month, month, day of week), got ${texts.length}`,
    );
  }
  return {
    minute: readField(minute, MINUTE),
    hour: readField(hour, HOUR),
    dayOfMonth: readField(dayOfMonth, DAY_OF_MONTH),
    month: readField(month, MONTH),
    dayOfWeek: readField(dayOfWeek, DAY_OF_WEEK),
  };
}

/** Whether the fields match a date. A starred field of the two restricts nothing; otherwise either one suffices. */
export function matchesDay(fields: CronFields, dayOfMonth: number, dayOfWeek: number): boolean {
  const byMonth = fields.dayOfMonth.values.has(dayOfMonth);
  const byWeek = fields.dayOfWeek.values.has(dayOfWeek);
  return fields.dayOfMonth.starred || fields.dayOfWeek.starred ? byMonth && byWeek : byMonth || byWeek;
}

/** Whether no wall time at all can match, because a field consists of commas only. */
export function matchesNothing({ minute, hour, month, dayOfMonth, dayOfWeek }: CronFields): boolean {
  if ([minute, hour, month].some(({ values }) => values.size === 0)) return true;
  return dayOfMonth.values.size === 0 && dayOfWeek.values.size === 0;
}

function readField(text: string, rule: FieldRule): CronField {
  const values = new Set<number>();
  let starred = false;
  for (const item of text.split(",")) {
    if (item === "") continue;
    const { start, end, step, star } = readItem(item, rule);
    for (let value = start; value <= end; value += step) values.add(value);
    starred ||= star;
  }
  return { values, starred };
}

interface FieldItem {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly star: boolean;
}

function readItem(item: string, rule: FieldRule): FieldItem {
  const [base = "", stepText, ...more] = item.split("/");
  if (more.length > 0) throw refused(rule, item, "at most one /");
  const step = stepText === undefined ? 1 : readStep(stepText, rule, item);
  const [first = "", last, ...rest] = base.split("-");
  if (first === "*" || first === "?") return { start: rule.min, end: rule.max, step, star: step === 1 };
  if (rest.length > 0) throw refused(rule, item, "at most one hyphen");
  const start = readValue(first, rule, item);
  let end = last === undefined ? start : readValue(last, rule, item);
  if (last === undefined && stepText !== undefined) end = rule.max;
  if (start > end) throw refused(rule, item, "a range that does not end before it starts");
  return { start, end, step, star: false };
}

function readStep(text: string, rule: FieldRule, item: string): number {
  const step = readInteger(text);
  if (step === null || step < 1) throw refused(rule, item, "a step of at least 1");
  return step;
}

function readValue(text: string, rule: FieldRule, item: string): number {
  const named = rule.names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + rule.min : readInteger(text);
  if (value === null || value < rule.min || value > rule.max) {
    const names = rule.names.length > 0 ? ` or ${rule.names[0]} to ${rule.names.at(-1)}` : "";
    throw refused(rule, item, `${rule.min} to ${rule.max}${names}`);
  }
  return value;
}

function readInteger(text: string): number | null {
  return /^\+?[0-9]+$/.test(text) ? Number(text) : null;
}

function refused({ name }: FieldRule, item: string, expected: string): ConfigurationError {
  return new ConfigurationError(`expression has ${JSON.stringify(item)} as ${name}: expected ${expected}`);
}
