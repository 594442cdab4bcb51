/** Sending and receiving notices. Delivery is best effort: polling makes up for whatever is lost. */
import type { LeaderTerm } from "../model/leader-term.ts";
import type { DriverCall } from "./call.ts";
import type { Notice, NoticeTopic } from "./notice.ts";

/** Where a subscription delivers. Callbacks must not throw. */
export interface NoticeListener {
  readonly topics: readonly NoticeTopic[];
  onNotice(notice: Notice): void;
  /** The stream broke; it delivers nothing more. Called once at most, not before `listen` resolves nor after `close`. */
  onLost(error: unknown): void;
}

/** An established subscription. */
export interface NoticeStream {
  /** Ends delivery and frees the connection. Never rejects. */
  close(): Promise<void>;
}

/** Notice verbs of a runtime driver. */
export interface NoticesFacet<Tx> {
  send(params: { readonly notices: readonly Notice[] }, call?: DriverCall<Tx>): Promise<void>;
  /** Resolves once listening; history is never delivered. Rejects when it cannot connect or listen. */
  listen(listener: NoticeListener): Promise<NoticeStream>;
  /** Deletes stored notices created before `before`; the count, or null when the term is over. */
  deleteExpired(
    params: { readonly term: LeaderTerm; readonly before: Temporal.Instant; readonly limit: number },
    call?: DriverCall<Tx>,
  ): Promise<number | null>;
}
