/**
 * Takes part in the election of the one leader of a database and schema: bids, renews, resigns. Owns the current tenure;
 * what a leader does in it is none of its business. Everything a statement may answer is decided by the database clock
 * there and by the trust of the tenure here.
 *
 * A row that names this client is never adopted: it may belong to another process with the same client ID, or to an
 * earlier term of this one, and has to expire first.
 */
import type { LeaderFacet } from "../driver/leader-facet.ts";
import type { Notice } from "../driver/notice.ts";
import type { Backoff } from "../kit/backoff.ts";
import { backoffMs } from "../kit/backoff.ts";
import { pause } from "../kit/clock.ts";
import { deferred } from "../kit/deferred.ts";
import type { Environment } from "../kit/environment.ts";
import type { Logger } from "../kit/logger.ts";
import { isPermanentFailure, logBackgroundFailure } from "../kit/transient.ts";
import type { LeaderTerm } from "../model/leader-term.ts";
import { Alarm } from "./alarm.ts";
import { readLeadershipNotice } from "./leadership-notice.ts";
import { driverCall } from "./maintenance-service.ts";
import { readClocks, Tenure } from "./tenure.ts";

/** A lease lasts this much longer than the election interval, and is trusted this much shorter; in milliseconds. */
const [LEASE_PADDING_MS, TRUST_MARGIN_MS] = [10_000, 1000];
/** Limit of one bid, and at most of one renewal. */
const STATEMENT_LIMIT_MS = 5000;
/** Followers spread their bids over this time after each interval, and after a resignation. */
const [BID_SPREAD_MS, WOKEN_SPREAD_MS] = [1000, 50];
/** Who was asked to resign waits for this long before it bids again, so that others come first. */
const YIELD_MS = 250;
/** Pauses between renewals that failed; the fourth starts over. */
const RENEWAL_BACKOFF: Backoff = { baseMs: 1000, maxMs: 4000 };
const RENEWAL_BACKOFF_STEPS = 3;
/** Limits of the tries to resign, and the pauses between them, up to 10 % longer or shorter. */
const RESIGN_LIMITS_MS: readonly number[] = [1000, 2000, 3000];
const RESIGN_BACKOFF: Backoff = { baseMs: 1000, maxMs: 4000 };

/** What an elector works with. */
export interface ElectorDependencies<Tx> {
  readonly leader: LeaderFacet<Tx>;
  readonly clientId: string;
  readonly intervalMs: number;
  readonly environment: Environment;
  readonly logger: Logger;
  /** A term began. It ends by its own signal. Must not throw. */
  readonly onElected: (tenure: Tenure) => void;
  /** How the latest try of a bid, renewal or resignation went: null when it succeeded. */
  readonly onAttempt: (error: unknown) => void;
  /** A failure that no retry can mend, or a broken invariant. */
  readonly onFailure: (error: unknown) => void;
}

/** See the file header. */
export class Elector<Tx> {
  readonly #dependencies: ElectorDependencies<Tx>;
  readonly #alarm: Alarm;
  readonly #stopping = new AbortController();
  #tenure: Tenure | null = null;
  /** There may be no leader: bid soon. */
  #vacancySeen = false;
  #running: Promise<void> = Promise.resolve();

  constructor(dependencies: ElectorDependencies<Tx>) {
    this.#dependencies = dependencies;
    this.#alarm = new Alarm(dependencies.environment.clock);
  }

  /** The tenure of this client while it lasts. */
  get tenure(): Tenure | null {
    return this.#tenure?.holds() ? this.#tenure : null;
  }

  /** Bids at once and from then on. */
  start(): void {
    this.#running = this.#run().catch((error: unknown) => this.#dependencies.onFailure(error));
  }

  /** Resigns, if leading, and never bids again. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#tenure?.finish("stopped");
    this.#alarm.ring();
    await this.#running;
  }

  onNotice(notice: Notice): void {
    const message = readLeadershipNotice(notice);
    if (message?.action === "request_resign") this.requestResignation();
    else if (message?.action === "resigned" && message.leaderId !== this.#dependencies.clientId) this.expectVacancy();
  }

  /** Ends the current term, if there is one; this client may win the next. */
  requestResignation(): void {
    this.#tenure?.finish("asked");
  }

  /** A follower bids soon instead of at its usual time. */
  expectVacancy(): void {
    if (this.#tenure !== null) return;
    this.#vacancySeen = true;
    this.#alarm.ring();
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const tenure = await this.#bidUntilElected();
      if (tenure !== null) await this.#lead(tenure);
    }
  }

  /** Null when stopped before an election was won. */
  async #bidUntilElected(): Promise<Tenure | null> {
    const { intervalMs, environment } = this.#dependencies;
    let failures = 0;
    while (!this.#stopped) {
      const bid = await this.#bid();
      if (bid instanceof Tenure) return bid;
      failures = bid === "failed" ? failures + 1 : 0;
      const usualMs = intervalMs + BID_SPREAD_MS * environment.random();
      await this.#alarm.sleep(failures > 0 ? backoffMs(bidBackoff(intervalMs), failures, environment.random) : usualMs);
      if (this.#vacancySeen) {
        await pause(environment.clock, WOKEN_SPREAD_MS * environment.random(), this.#stopping.signal);
        this.#vacancySeen = false;
      }
    }
    return null;
  }

  async #bid(): Promise<Tenure | "failed" | "lost"> {
    const { leader, clientId, intervalMs, environment, logger, onAttempt } = this.#dependencies;
    const since = readClocks(environment.clock);
    const ttlMs = intervalMs + LEASE_PADDING_MS;
    let term: LeaderTerm | null;
    try {
      term = await leader.elect({ clientId, ttlMs }, driverCall(environment, STATEMENT_LIMIT_MS));
    } catch (error) {
      if (isPermanentFailure(error)) throw error;
      logBackgroundFailure(logger, error, { clientId }, "a bid for leadership failed; trying again");
      onAttempt(error);
      return "failed";
    }
    onAttempt(null);
    return term === null ? "lost" : new Tenure(environment.clock, term, since, ttlMs - TRUST_MARGIN_MS);
  }

  async #lead(tenure: Tenure): Promise<void> {
    const { environment, onElected } = this.#dependencies;
    if (this.#stopped) tenure.finish("stopped");
    if (tenure.holds()) {
      this.#tenure = tenure;
      tenure.signal.addEventListener("abort", () => this.#alarm.ring(), { once: true });
      onElected(tenure);
      await this.#renewWhileHeld(tenure);
      this.#tenure = null;
    }
    if (tenure.ended !== "gone") await this.#resign(tenure.term);
    if (tenure.ended === "asked") {
      await pause(environment.clock, YIELD_MS + YIELD_MS * environment.random(), this.#stopping.signal);
    }
    // Whatever rang meanwhile is answered by the bid that follows at once.
    this.#vacancySeen = false;
    this.#alarm.reset();
  }

  async #renewWhileHeld(tenure: Tenure): Promise<void> {
    const { intervalMs, environment } = this.#dependencies;
    let failures = 0;
    while (tenure.holds()) {
      const step = 1 + ((failures + RENEWAL_BACKOFF_STEPS - 1) % RENEWAL_BACKOFF_STEPS);
      const pauseMs = failures === 0 ? intervalMs : backoffMs(RENEWAL_BACKOFF, step, environment.random);
      await this.#alarm.sleep(Math.max(0, Math.min(pauseMs, tenure.trustLeftMs)));
      if (tenure.holds()) failures = (await this.#renew(tenure)) ? 0 : failures + 1;
    }
  }

  /** False when the renewal failed; what it answers after the end of the term no longer matters. */
  async #renew(tenure: Tenure): Promise<boolean> {
    const { leader, clientId, intervalMs, environment, logger, onAttempt } = this.#dependencies;
    const since = readClocks(environment.clock);
    const limitMs = Math.min(STATEMENT_LIMIT_MS, tenure.trustLeftMs);
    try {
      const params = { term: tenure.term, ttlMs: intervalMs + LEASE_PADDING_MS };
      const renewal = leader.renew(params, driverCall(environment, limitMs));
      const renewed = await orEnd(renewal, tenure.signal);
      if (renewed === "ended") return false;
      if (renewed === null) tenure.finish("gone");
      else tenure.renewed(renewed, since);
    } catch (error) {
      if (isPermanentFailure(error)) {
        tenure.finish("expired");
        throw error;
      }
      logBackgroundFailure(logger, error, { clientId }, "renewing leadership failed; trying again");
      onAttempt(error);
      return false;
    }
    onAttempt(null);
    return true;
  }

  /** Stopping does not cut it short: the next leader would have to wait for the lease to expire. */
  async #resign(term: LeaderTerm): Promise<void> {
    const { leader, clientId, environment, logger, onAttempt } = this.#dependencies;
    for (const [index, limitMs] of RESIGN_LIMITS_MS.entries()) {
      if (index > 0) await pause(environment.clock, backoffMs(RESIGN_BACKOFF, index, environment.random));
      try {
        await leader.resign({ term }, driverCall(environment, limitMs));
        return onAttempt(null);
      } catch (error) {
        if (isPermanentFailure(error)) throw error;
        logBackgroundFailure(logger, error, { clientId }, "resigning leadership failed");
        onAttempt(error);
      }
    }
  }
}

/** Stays below the interval, so that a bid after a failure comes sooner than usual. */
function bidBackoff(intervalMs: number): Backoff {
  return { baseMs: Math.min(250, intervalMs / 8), maxMs: intervalMs / 2 };
}

/** What `statement` resolves to, or `ended` as soon as the term is over; the statement is then left to itself. */
async function orEnd<T>(statement: Promise<T>, signal: AbortSignal): Promise<T | "ended"> {
  const end = deferred<"ended">();
  const ended = (): void => end.resolve("ended");
  signal.addEventListener("abort", ended, { once: true });
  try {
    return await Promise.race([statement, end.promise]);
  } finally {
    signal.removeEventListener("abort", ended);
  }
}
