/** How many connections a runtime keeps for itself, and whether a pool has them. */
import { ConfigurationError, type SessionNeeds } from "riverqueue/driver";
import type { PgPool } from "../connection/pg-shapes.ts";

/** Connections for claims, completions and the leader's statements. */
export const WORK_LANES = 2;

/** Insertions and handlers need one beside those that the runtime keeps. */
const LEFT_AT_LEAST = 1;

/** @throws ConfigurationError with the numbers when the pool cannot serve the runtime and what it runs. */
export function assertPoolSuffices({ options }: PgPool, { listens, leads }: SessionNeeds): void {
  const max = options?.max;
  if (typeof max !== "number") return;
  const kept = (listens ? 1 : 0) + 1 + WORK_LANES;
  const least = kept + LEFT_AT_LEAST;
  if (max >= least) return;
  const uses = [
    ...(listens ? ["1 to listen"] : []),
    "1 for control",
    `${WORK_LANES} for claims, completions${leads ? " and maintenance" : ""}`,
  ];
  throw new ConfigurationError(
    `pool: max is ${max}, and a client that works jobs keeps ${kept} connections for itself (${uses.join(", ")}), which ` +
      `leaves ${Math.max(0, max - kept)} for handlers and insertions; set max to ${least} or more`,
  );
}
