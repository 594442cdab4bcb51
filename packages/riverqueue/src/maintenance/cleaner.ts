/** A service that deletes rows past their time in batches. What it deletes is said by the file that makes it. */
import type { DriverCall } from "../driver/call.ts";
import type { Environment } from "../kit/environment.ts";
import type { LeaderTerm } from "../model/leader-term.ts";
import type { MaintenanceServiceName } from "../model/river-event.ts";
import { BatchBreaker } from "./batch-breaker.ts";
import { driverCall, type MaintenanceService, type PassRunner, serveOnInterval } from "./maintenance-service.ts";
import { type BatchResult, runBatches } from "./run-batches.ts";
import type { Tenure } from "./tenure.ts";

/** What tells one cleaner from another. */
export interface CleanerRules<Tx> {
  readonly name: MaintenanceServiceName;
  readonly intervalMs: number;
  /** Limit of one statement; null for none. */
  readonly timeoutMs: number | null;
  /** Deletes up to `limit` rows that are past their time at `now`; null when the term is over. */
  readonly deleteBatch: (
    term: LeaderTerm,
    now: Temporal.Instant,
    limit: number,
    call: DriverCall<Tx>,
  ) => Promise<number | null>;
}

/** See the file header. */
export class Cleaner<Tx> implements MaintenanceService {
  readonly name: MaintenanceServiceName;
  readonly #environment: Environment;
  readonly #rules: CleanerRules<Tx>;
  readonly #breaker: BatchBreaker;

  constructor(environment: Environment, rules: CleanerRules<Tx>) {
    this.name = rules.name;
    this.#environment = environment;
    this.#rules = rules;
    this.#breaker = new BatchBreaker(environment.clock);
  }

  serve(tenure: Tenure, run: PassRunner): Promise<void> {
    const pass = (): Promise<void> => run(() => runBatches(this.#environment, tenure, () => this.#batch(tenure)));
    return serveOnInterval(this.#environment.clock, this.#rules.intervalMs, tenure, pass);
  }

  async #batch({ term }: Tenure): Promise<BatchResult | null> {
    const { timeoutMs, deleteBatch } = this.#rules;
    const { limit } = this.#breaker;
    const deleted = await this.#breaker.watch(timeoutMs, () =>
      deleteBatch(term, this.#environment.clock.now(), limit, driverCall(this.#environment, timeoutMs)),
    );
    return deleted === null ? null : { acted: deleted, more: deleted >= limit };
  }
}
