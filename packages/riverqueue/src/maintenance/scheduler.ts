/** Makes `scheduled` and `retryable` jobs available shortly before they are due. Claims still wait for the exact time. */
import type { Notice } from "../driver/notice.ts";
import { RefusedRows } from "../kit/refused-rows.ts";
import { BatchBreaker } from "./batch-breaker.ts";
import {
  after,
  driverCall,
  type MaintenanceService,
  type PassRunner,
  serveOnInterval,
  type ServiceContext,
  STATEMENT_LIMIT_MS,
} from "./maintenance-service.ts";
import { type BatchResult, runBatches } from "./run-batches.ts";
import type { Tenure } from "./tenure.ts";

/** Jobs due within it are announced, in milliseconds; polling finds the others in time. */
const NOTICE_HORIZON_MS = 5;
/** How long a job that could not be promoted is left alone, in milliseconds, and how many such jobs are remembered. */
const [REFUSED_MS, REFUSED_JOBS] = [60_000, 10_000];

/** See the file header. */
export class Scheduler<Tx> implements MaintenanceService {
  readonly name = "scheduler";
  readonly #context: ServiceContext<Tx>;
  readonly #noticesFor: (queues: readonly string[]) => readonly Notice[];
  readonly #breaker: BatchBreaker;
  readonly #refusals: RefusedRows<bigint>;
  /** Jobs reported as impossible to promote in the latest pass. */
  #reported: ReadonlySet<bigint> = new Set();

  /** @param noticesFor - the client's limiter of insert notices */
  constructor(context: ServiceContext<Tx>, noticesFor: (queues: readonly string[]) => readonly Notice[]) {
    this.#context = context;
    this.#noticesFor = noticesFor;
    const { clock } = context.environment;
    this.#breaker = new BatchBreaker(clock);
    this.#refusals = new RefusedRows<bigint>({
      clock,
      logger: context.logger,
      keepMs: REFUSED_MS,
      capacity: REFUSED_JOBS,
      attribute: "jobId",
      message: "a due job cannot be made available: the database refuses the change",
    });
  }

  serve(tenure: Tenure, run: PassRunner): Promise<void> {
    const { environment, settings } = this.#context;
    const pass = (): Promise<void> => run(() => this.#pass(tenure));
    return serveOnInterval(environment.clock, settings.schedulerIntervalMs, tenure, pass);
  }

  async #pass(tenure: Tenure): Promise<number | null> {
    const skipped = new Set<bigint>();
    const count = await runBatches(this.#context.environment, tenure, () => this.#batch(tenure, skipped));
    this.#report(skipped);
    return count;
  }

  async #batch(tenure: Tenure, skipped: Set<bigint>): Promise<BatchResult | null> {
    const { facets, environment, settings } = this.#context;
    const { limit } = this.#breaker;
    const now = environment.clock.now();
    const result = await this.#breaker.watch(STATEMENT_LIMIT_MS, () =>
      facets.jobs.promote(
        {
          term: tenure.term,
          dueBy: after(now, settings.schedulerIntervalMs),
          passAt: now,
          noticeBy: after(now, NOTICE_HORIZON_MS),
          limit,
          noticesFor: this.#noticesFor,
          refusals: this.#refusals,
        },
        driverCall(environment, STATEMENT_LIMIT_MS),
      ),
    );
    if (result === null) return null;
    for (const id of result.skipped) skipped.add(id);
    const acted = result.promoted + result.discarded;
    // A full batch of rows that have to stay as they are would only come back.
    return { acted, more: result.taken >= limit && acted > 0 };
  }

  /** Such rows stay for good, so each is mentioned once and not in every pass. */
  #report(skipped: ReadonlySet<bigint>): void {
    for (const jobId of skipped) {
      if (this.#reported.has(jobId)) continue;
      this.#context.logger.warn({ jobId }, "a due job stays as it is: another job holds its unique key");
    }
    this.#reported = skipped;
  }
}
