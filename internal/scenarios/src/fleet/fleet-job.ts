/** The one kind of job that a fleet works. */
import { defineJob, type JobDefinition } from "riverqueue";

/** Its number within the run. */
export type FleetArgs = Record<"n", number>;

/** See the file header. */
export const fleetJob: JobDefinition<FleetArgs, FleetArgs, "fleet"> = defineJob<FleetArgs>()({
  kind: "fleet",
  defaults: { maxAttempts: 6 },
});
