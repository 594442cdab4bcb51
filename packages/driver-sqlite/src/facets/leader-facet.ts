/** The leadership row on SQLite. */
import type { DatabaseSync } from "node:sqlite";
import {
  resignedNotice,
  type DriverCall,
  type LeaderFacet,
  type LeaderTerm,
  type LeaderTransaction,
} from "riverqueue/driver";
import { holdsTerm, TermOver } from "../leader/fence.ts";
import { leaderTerm } from "../leader/leader-term.ts";
import { formatEpochMilliseconds, formatTime } from "../record/canonical-time.ts";
import type { Unit } from "../scope/unit.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { CURRENT_TERM } from "../sql/leader/current.ts";
import { DELETE_EXPIRED_TERM, ELECT } from "../sql/leader/elect.ts";
import { RENEW } from "../sql/leader/renew.ts";
import { RESIGN } from "../sql/leader/resign.ts";

type Call = DriverCall<DatabaseSync>;

/** Leadership verbs of the SQLite driver. */
export class SqliteLeader implements LeaderFacet<DatabaseSync> {
  readonly #runner: UnitRunner;

  constructor(runner: UnitRunner) {
    this.#runner = runner;
  }

  elect(
    { clientId, ttlMs }: { readonly clientId: string; readonly ttlMs: number },
    call?: Call,
  ): Promise<LeaderTerm | null> {
    return this.#runner.transact("leader.elect", call, ({ connection, now, nowMs }) => {
      connection.change(DELETE_EXPIRED_TERM, now);
      return leaderTerm(connection.row(ELECT, clientId, now, formatEpochMilliseconds(nowMs + ttlMs)));
    });
  }

  renew(
    { term, ttlMs }: { readonly term: LeaderTerm; readonly ttlMs: number },
    call?: Call,
  ): Promise<LeaderTerm | null> {
    return this.#runner.change("leader.renew", call, ({ connection, now, nowMs }) => {
      const expiry = formatEpochMilliseconds(nowMs + ttlMs);
      return leaderTerm(connection.row(RENEW, term.leaderId, formatTime(term.electedAt), now, expiry));
    });
  }

  resign({ term }: { readonly term: LeaderTerm }, call?: Call): Promise<boolean> {
    return this.#runner.transact("leader.resign", call, (unit) => {
      if (unit.connection.change(RESIGN, term.leaderId, formatTime(term.electedAt)) === 0) return false;
      unit.send([resignedNotice(term.leaderId)]);
      return true;
    });
  }

  async transact<T>({ term, body, durability, signal }: LeaderTransaction<T>, call?: Call): Promise<T | null> {
    const fence = (unit: Unit): void => {
      if (!holdsTerm(unit, term)) throw new TermOver();
    };
    const options = { durability, last: fence, now: call?.now, timeoutMs: call?.timeoutMs, signal };
    try {
      return await this.#runner.transaction(body, options);
    } catch (error) {
      if (error instanceof TermOver) return null;
      throw error;
    }
  }

  current(call?: Call): Promise<LeaderTerm | null> {
    return this.#runner.read("leader.current", call, ({ connection }) => leaderTerm(connection.row(CURRENT_TERM)));
  }
}
