/** Notices on SQLite: rows of the outbox. */
import type { DatabaseSync } from "node:sqlite";
import type { DriverCall, LeaderTerm, Notice, NoticeListener, NoticesFacet, NoticeStream } from "riverqueue/driver";
import { holdsTerm } from "../leader/fence.ts";
import type { OutboxPoll } from "../outbox/outbox-poll.ts";
import { formatTime } from "../record/canonical-time.ts";
import type { UnitRunner } from "../scope/unit-runner.ts";
import { DELETE_EXPIRED_NOTICES } from "../sql/notices/delete-expired.ts";

type Call = DriverCall<DatabaseSync>;

/** Notice verbs of the SQLite driver. */
export class SqliteNotices implements NoticesFacet<DatabaseSync> {
  readonly #runner: UnitRunner;
  readonly #poll: OutboxPoll;

  constructor(runner: UnitRunner, poll: OutboxPoll) {
    this.#runner = runner;
    this.#poll = poll;
  }

  send({ notices }: { readonly notices: readonly Notice[] }, call?: Call): Promise<void> {
    return this.#runner.change("notices.send", call, (unit) => unit.send(notices));
  }

  listen(listener: NoticeListener): Promise<NoticeStream> {
    return this.#runner.read("notices.listen", undefined, () => this.#poll.subscribe(listener));
  }

  deleteExpired(
    { term, before, limit }: { readonly term: LeaderTerm; readonly before: Temporal.Instant; readonly limit: number },
    call?: Call,
  ): Promise<number | null> {
    return this.#runner.transact("notices.deleteExpired", call, (unit) =>
      holdsTerm(unit, term) ? unit.connection.change(DELETE_EXPIRED_NOTICES, formatTime(before), limit) : null,
    );
  }
}
