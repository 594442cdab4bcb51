/** The kinds that two clients know, and how quickly they look for stuck jobs. */
import { defineJob, type JobDefinition, type JsonObject, type MaintenanceOptions } from "riverqueue";

/** May run for ever. */
export const endless: JobDefinition<JsonObject, JsonObject, "endless"> = defineJob({ kind: "endless" });

/** Works as usual. */
export const task: JobDefinition<JsonObject, JsonObject, "task"> = defineJob({ kind: "task" });

/** Accepts no arguments at all. */
export const strict: JobDefinition<JsonObject, JsonObject, "strict"> = defineJob({
  kind: "strict",
  decode: () => Promise.reject(new Error("no good")),
});

export const maintenance: MaintenanceOptions = {
  electionInterval: { milliseconds: 250 },
  rescuerInterval: { milliseconds: 250 },
  schedulerInterval: { milliseconds: 250 },
};
