/** Insert options as JSON text and back: times and durations, which JSON does not have, as ISO text. */
import { type InsertOptions, parseJsonObject, stringifyJson, ValidationError } from "riverqueue";

/** @throws ValidationError when the options hold a transaction, JsonValueError when they are no options at all. */
export function encodeInsertOptions(options: object): string {
  const { scheduledAt, delay, unique, ...others } = options as InsertOptions & { readonly tx?: unknown };
  if (others.tx !== undefined) throw new ValidationError("options.tx: a transaction cannot cross to another thread");
  return stringifyJson({
    ...others,
    scheduledAt:
      scheduledAt === undefined
        ? undefined
        : scheduledAt instanceof Date
          ? scheduledAt.toISOString()
          : String(scheduledAt),
    delay: durationText(delay),
    unique: unique && { ...unique, byPeriod: durationText(unique.byPeriod) },
  });
}

/** The options again. */
export function decodeInsertOptions(text: string): InsertOptions {
  const { scheduledAt, delay, unique, ...others } = parseJsonObject(text) as Record<string, string | undefined>;
  const { byPeriod, ...rest } = (unique ?? {}) as { readonly byPeriod?: string };
  return {
    ...(others as InsertOptions),
    scheduledAt: scheduledAt === undefined ? undefined : Temporal.Instant.from(scheduledAt),
    delay: durationOf(delay),
    unique: unique === undefined ? undefined : { ...rest, byPeriod: durationOf(byPeriod) },
  };
}

function durationText(duration: Temporal.Duration | Temporal.DurationLike | undefined): string | undefined {
  return duration === undefined ? undefined : Temporal.Duration.from(duration).toString();
}

function durationOf(text: string | undefined): Temporal.Duration | undefined {
  return text === undefined ? undefined : Temporal.Duration.from(text);
}
