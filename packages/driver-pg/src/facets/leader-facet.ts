/** The leadership row on Postgres. */
import type { DriverCall, LeaderFacet, LeaderTerm, LeaderTransaction } from "riverqueue/driver";
import type { PgConnection } from "../connection/pg-connection.ts";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { holdsTerm, TermOver } from "../leader/fence.ts";
import { leaderTerm } from "../leader/leader-term.ts";
import { formatTime } from "../record/pg-time.ts";
import type { Runners } from "../scope/runners.ts";
import { Unit } from "../scope/unit.ts";
import { CURRENT_TERM } from "../sql/leader/current.ts";
import { ELECT } from "../sql/leader/elect.ts";
import { RENEW } from "../sql/leader/renew.ts";
import { RESIGN } from "../sql/leader/resign.ts";

type Call = DriverCall<PgTransaction>;

/** Leadership verbs of the Postgres driver. */
export class PgLeader implements LeaderFacet<PgTransaction> {
  readonly #runners: Runners;

  constructor(runners: Runners) {
    this.#runners = runners;
  }

  elect(
    { clientId, ttlMs }: { readonly clientId: string; readonly ttlMs: number },
    call?: Call,
  ): Promise<LeaderTerm | null> {
    return this.#runners.control.use("leader.elect", call, async (unit) =>
      leaderTerm(await unit.row(ELECT, clientId, String(ttlMs), unit.now)),
    );
  }

  renew(
    { term, ttlMs }: { readonly term: LeaderTerm; readonly ttlMs: number },
    call?: Call,
  ): Promise<LeaderTerm | null> {
    return this.#runners.control.use("leader.renew", call, async (unit) =>
      leaderTerm(await unit.row(RENEW, term.leaderId, formatTime(term.electedAt), String(ttlMs), unit.now)),
    );
  }

  resign({ term }: { readonly term: LeaderTerm }, call?: Call): Promise<boolean> {
    return this.#runners.control.use("leader.resign", call, async (unit) => {
      const row = await unit.row(RESIGN, term.leaderId, formatTime(term.electedAt));
      return row?.[0] === "1";
    });
  }

  async transact<T>({ term, body, durability, signal }: LeaderTransaction<T>, call?: Call): Promise<T | null> {
    const fence = async (connection: PgConnection): Promise<void> => {
      if (!(await holdsTerm(new Unit("leader.transact", connection, call?.now), term))) throw new TermOver();
    };
    const options = { relaxed: durability === "relaxed", last: fence, timeoutMs: call?.timeoutMs, signal };
    try {
      return await this.#runners.maintenance.transaction(body, options);
    } catch (error) {
      if (error instanceof TermOver) return null;
      throw error;
    }
  }

  current(call?: Call): Promise<LeaderTerm | null> {
    return this.#runners.control.use("leader.current", call, async (unit) => leaderTerm(await unit.row(CURRENT_TERM)));
  }
}
