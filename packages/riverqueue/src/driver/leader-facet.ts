/** Verbs on the single leadership row. Times come from the database clock. */
import type { LeaderTerm } from "../model/leader-term.ts";
import type { DriverCall } from "./call.ts";

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
  /** The stored term, expired or not. */
  current(call?: DriverCall<Tx>): Promise<LeaderTerm | null>;
}
