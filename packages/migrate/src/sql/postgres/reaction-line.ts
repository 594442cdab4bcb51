import type { Migration } from "../../migration.ts";
import { reactionInitialSchema } from "./reaction-001-initial-schema.ts";

/** Line `reaction`, ascending. */
export function postgresReactionLine(): Migration[] {
  return [reactionInitialSchema];
}
