/** Schedules with a fixed distance between occurrences. */
import type { PeriodicSchedule } from "../api/periodic-jobs.ts";

/** Occurrences one `interval` apart; a day is 24 hours. None beyond the last instant there is. */
export function intervalSchedule(interval: Temporal.Duration): PeriodicSchedule {
  const exact = interval.round({ largestUnit: "hours" });
  return Object.freeze({
    next(after: Temporal.Instant): Temporal.Instant | null {
      try {
        return after.add(exact);
      } catch {
        return null;
      }
    },
  });
}
