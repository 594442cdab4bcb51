/** Notices on Postgres: NOTIFY, and a connection that LISTENs. */
import type { DriverCall, LeaderTerm, Notice, NoticeListener, NoticesFacet, NoticeStream } from "riverqueue/driver";
import type { PgTransaction } from "../connection/pg-shapes.ts";
import { fencedCount, fenceValues } from "../leader/leader-term.ts";
import { formatTime } from "../record/pg-time.ts";
import type { Runners } from "../scope/runners.ts";
import { DELETE_EXPIRED_NOTICES } from "../sql/notices/delete-expired.ts";

type Call = DriverCall<PgTransaction>;

/** Notice verbs of the Postgres driver. */
export class PgNotices implements NoticesFacet<PgTransaction> {
  readonly #runners: Runners;
  readonly #listen: (listener: NoticeListener) => Promise<NoticeStream>;

  constructor(runners: Runners, listen: (listener: NoticeListener) => Promise<NoticeStream>) {
    this.#runners = runners;
    this.#listen = listen;
  }

  async send({ notices }: { readonly notices: readonly Notice[] }, call?: Call): Promise<void> {
    if (notices.length === 0) return;
    await this.#runners.control.use("notices.send", call, (unit) => unit.send(notices));
  }

  listen(listener: NoticeListener): Promise<NoticeStream> {
    return this.#listen(listener);
  }

  deleteExpired(
    { term, before, limit }: { readonly term: LeaderTerm; readonly before: Temporal.Instant; readonly limit: number },
    call?: Call,
  ): Promise<number | null> {
    return this.#runners.maintenance.use("notices.deleteExpired", call, async (unit) =>
      fencedCount(
        await unit.row(DELETE_EXPIRED_NOTICES, ...fenceValues(unit, term), formatTime(before), String(limit)),
      ),
    );
  }
}
