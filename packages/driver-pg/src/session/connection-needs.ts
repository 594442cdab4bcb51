/** How many connections a runtime keeps for itself, and whether a pool has them. */
import { ConfigurationError, type SessionConnections, type SessionNeeds } from "riverqueue/driver";
import type { PgPool } from "../connection/pg-shapes.ts";

/** Connections for claims, completions and the leader's statements. */
export const WORK_LANES = 2;

/** Insertions and handlers need one beside those that the runtime keeps. */
const LEFT_AT_LEAST = 1;

/** Connections that the runtimes of this process keep, by pool. */
const keptByPool = new WeakMap<PgPool, number>();

/** What a runtime keeps. */
export interface KeptConnections {
  readonly connections: SessionConnections;
  /** Ends the count; may be called again. */
  readonly keepNoMore: () => void;
}

/**
 * Counts the connections that a runtime is about to keep. Runtimes that share a pool are counted together: one too many
 * would wait for a connection for ever, and the handlers of the others with it.
 *
 * @throws ConfigurationError with the numbers when the pool cannot serve the runtime and what it runs.
 */
export function keepConnections(pool: PgPool, needs: SessionNeeds): KeptConnections {
  const own = (needs.listens ? 1 : 0) + 1 + WORK_LANES;
  const others = keptByPool.get(pool) ?? 0;
  assertPoolSuffices(pool, needs, own, others);
  keptByPool.set(pool, others + own);
  let counted = true;
  const keepNoMore = (): void => {
    if (counted) keptByPool.set(pool, (keptByPool.get(pool) ?? own) - own);
    counted = false;
  };
  const max = pool.options?.max;
  return { connections: { kept: own, left: typeof max === "number" ? max - others - own : null }, keepNoMore };
}

function assertPoolSuffices({ options }: PgPool, { listens, leads }: SessionNeeds, own: number, others: number): void {
  const max = options?.max;
  if (typeof max !== "number") return;
  const least = others + own + LEFT_AT_LEAST;
  if (max >= least) return;
  const uses = [
    ...(listens ? ["1 to listen"] : []),
    "1 for control",
    `${WORK_LANES} for claims, completions${leads ? " and maintenance" : ""}`,
  ];
  const running = others === 0 ? "" : ` beside the ${others} that clients which run on this pool keep`;
  throw new ConfigurationError(
    `pool: max is ${max}, and a client that works jobs keeps ${own} connections for itself (${uses.join(", ")})${running}, ` +
      `which leaves ${Math.max(0, max - others - own)} for handlers and insertions; set max to ${least} or more`,
  );
}
