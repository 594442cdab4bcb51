import { isRegisteredDefinition } from "./definition-plan.ts";
import type { JobDefinition } from "./job-definition.ts";

/** Whether `value` was made by `defineJob` of this copy of the package. Never throws. */
export function isJobDefinition(value: unknown): value is JobDefinition {
  return isRegisteredDefinition(value);
}
