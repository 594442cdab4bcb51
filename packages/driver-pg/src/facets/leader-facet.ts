/** The leadership row on Postgres. */
import { resignedNotice, type DriverCall, type LeaderFacet, type LeaderTerm } from "riverqueue/driver";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { leaderTerm } from "../leader/leader-term.ts";
import { noticesJson } from "../notices/notices-json.ts";
import { formatTime } from "../record/pg-time.ts";
import type { Runners } from "../scope/runners.ts";
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
      const notices = noticesJson([resignedNotice(term.leaderId)]);
      const row = await unit.row(RESIGN, term.leaderId, formatTime(term.electedAt), notices);
      return row?.[0] === "1";
    });
  }

  current(call?: Call): Promise<LeaderTerm | null> {
    return this.#runners.control.use("leader.current", call, async (unit) => leaderTerm(await unit.row(CURRENT_TERM)));
  }
}
