/** Verbs on the single leadership row. Times come from the database clock. */
import type { LeaderTerm } from "../model/leader-term.ts";
import type { DriverCall, OwnScope } from "./call.ts";
import type { InsertJobsParams } from "./insert-jobs.ts";

/** A transaction for the holder of a term. */
export interface LeaderTransaction<T> {
  readonly term: LeaderTerm;
  /** Runs verbs in the scope, which is valid until it settles, and may wait for code of the application. */
  readonly body: (scope: OwnScope) => Promise<T>;
  readonly durability: InsertJobsParams["durability"];
  /** Ends it early; the transaction then rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Leadership verbs of a runtime driver. */
export interface LeaderFacet<Tx> {
  /** Deletes an expired term and starts one if there is none, in one transaction. Null when another holds it. */
  elect(
    params: { readonly clientId: string; readonly ttlMs: number },
    call?: DriverCall<Tx>,
  ): Promise<LeaderTerm | null>;
  /** Prolongs exactly this term unless it has expired. Null when it is over. */
  renew(
    params: { readonly term: LeaderTerm; readonly ttlMs: number },
    call?: DriverCall<Tx>,
  ): Promise<LeaderTerm | null>;
  /** Ends exactly this term and sends `resigned` in the same transaction; false when it was over already. */
  resign(params: { readonly term: LeaderTerm }, call?: DriverCall<Tx>): Promise<boolean>;
  /**
   * Runs `body` in a transaction of River's and commits what it wrote only if the term is still the present one just
   * before the commit; null when it is over, with nothing written. Rolled back when `body` rejects, when a verb of it
   * failed, at the signal and when the limit of the call passes, which is one for the whole of it.
   *
   * A session runs it on a connection of its own, and takes that for the first verb. However long `body` waits,
   * election, heartbeats, claims and completions go on.
   */
  transact<T>(transaction: LeaderTransaction<T>, call?: Omit<DriverCall<Tx>, "scope">): Promise<T | null>;
  /** The stored term, expired or not. */
  current(call?: DriverCall<Tx>): Promise<LeaderTerm | null>;
}
