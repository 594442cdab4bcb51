/** Parameters and result of claiming: the only way a job gets from `available` to `running`. */
import type { JobRecord } from "../model/job-record.ts";
import type { Refusals } from "./refusals.ts";

/** Opaque mark of how far claims of one queue have read; a driver may use it to start its next scan there. */
export type ClaimHint = object;

/** One claim for one queue. */
export interface ClaimJobsParams {
  readonly queue: string;
  /** Appended to `attempted_by`, which keeps its last 100 entries. */
  readonly clientId: string;
  /** At least 1. */
  readonly limit: number;
  /** Claim only these kinds; null for all. Applied before limit and locks. */
  readonly kinds: readonly string[] | null;
  /** What the previous claim of this queue by this producer returned. */
  readonly hint: ClaimHint | null;
  /** A row that the database refuses to change costs only itself, but in a scope, where it fails the claim. */
  readonly refusals?: Refusals;
}

/** Claimed rows, in no defined order; each is `running` with its attempt counted. */
export interface ClaimJobsResult {
  readonly jobs: readonly JobRecord[];
  readonly hint: ClaimHint | null;
}
