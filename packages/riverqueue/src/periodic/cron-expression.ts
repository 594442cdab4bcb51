/** The syntax of cron expressions: zone prefix, descriptors, five fields. It is the one of River clients in any language. */
import { ConfigurationError } from "../model/errors/configuration-error.ts";
import { type CronFields, readCronFields } from "./cron-fields.ts";
import { parseGoDuration } from "./go-duration.ts";
import { type ZoneOffsets, zoneNamed } from "./zone-offsets.ts";

/** What an expression means. */
export type CronMeaning =
  | { readonly kind: "every"; readonly seconds: number }
  | { readonly kind: "fields"; readonly fields: CronFields };

/** A parsed expression. */
export interface ParsedCron {
  readonly meaning: CronMeaning;
  /** Zone of the prefix; null without one. */
  readonly zone: ZoneOffsets | null;
}

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const EVERY = "@every ";

/** What Go counts as white space; JavaScript's own set differs in two characters. */
const SPACE = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";

/** @throws ConfigurationError naming what is wrong with the expression. */
export function parseCronExpression(expression: string): ParsedCron {
  if (expression === "") throw new ConfigurationError("expression must not be empty");
  const { zone, rest } = splitZone(expression);
  return { zone, meaning: rest.startsWith("@") ? readDescriptor(rest) : { kind: "fields", fields: fieldsOf(rest) } };
}

function splitZone(expression: string): { readonly zone: ZoneOffsets | null; readonly rest: string } {
  if (!expression.startsWith("TZ=") && !expression.startsWith("CRON_TZ=")) return { zone: null, rest: expression };
  const space = expression.indexOf(" ");
  if (space < 0) throw new ConfigurationError("expression must go on after its time zone");
  const name = expression.slice(expression.indexOf("=") + 1, space);
  const rest = expression.slice(space).replace(new RegExp(`^${SPACE}|${SPACE}$`, "g"), "");
  return { zone: zoneNamed(name || "UTC", "time zone of expression"), rest };
}

function fieldsOf(text: string): CronFields {
  return readCronFields(text.split(new RegExp(SPACE)).filter((field) => field !== ""));
}

function readDescriptor(text: string): CronMeaning {
  const fields = DESCRIPTORS.get(text);
  if (fields !== undefined) return { kind: "fields", fields: fieldsOf(fields) };
  if (!text.startsWith(EVERY)) {
    const known = [...DESCRIPTORS.keys()].join(", ");
    throw new ConfigurationError(
      `expression must be a known descriptor (${known}, @every 1h30m), got ${JSON.stringify(text)}`,
    );
  }
  const nanoseconds = parseGoDuration(text.slice(EVERY.length));
  if (nanoseconds === null) {
    throw new ConfigurationError(
      `expression must have a duration such as 1h30m after @every, got ${JSON.stringify(text)}`,
    );
  }
  return { kind: "every", seconds: Math.max(1, Number(nanoseconds / 1_000_000_000n)) };
}
