/** The next instants of a cron expression, as the other side is asked for them. */
import { cron, type JsonValue } from "riverqueue";

/** Fewer than `count` when there are no more. */
export function cronInstants(params: JsonValue): string[] {
  const { expression, zone, after, count } = params as {
    expression: string;
    zone: string;
    after: string;
    count: number;
  };
  const schedule = cron(expression, zone === "" ? {} : { timeZone: zone });
  const instants: string[] = [];
  for (
    let at = schedule.next(Temporal.Instant.from(after));
    at !== null && instants.length < count;
    at = schedule.next(at)
  ) {
    instants.push(at.toString());
  }
  return instants;
}
