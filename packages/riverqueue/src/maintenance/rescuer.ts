/**
 * Finds jobs that have been `running` for too long, because their client died or lost their completion, and retries,
 * discards or cancels them. Pages by ID, so that jobs which are to be left alone cannot hide later ones.
 */
import type { Rescue } from "../driver/maintain-jobs.ts";
import { RefusedRows } from "../kit/refused-rows.ts";
import { isPermanentFailure } from "../kit/transient.ts";
import { isRetryableError } from "../model/errors/is-retryable-error.ts";
import type { JobRecord } from "../model/job-record.ts";
import { BatchBreaker } from "./batch-breaker.ts";
import {
  before,
  driverCall,
  type MaintenanceService,
  type PassRunner,
  serveOnInterval,
  type ServiceContext,
  STATEMENT_LIMIT_MS,
} from "./maintenance-service.ts";
import { rescueJob } from "./rescue-job.ts";
import { type BatchResult, runBatches } from "./run-batches.ts";
import type { StuckJobPolicy } from "./stuck-job-policy.ts";
import type { Tenure } from "./tenure.ts";

/** Jobs after which the event loop gets a turn: decoders of the application may take their time. */
const JOBS_PER_TURN = 100;
/** How long a job that could not be rescued is left alone, in milliseconds, and how many such jobs are remembered. */
const [REFUSED_MS, REFUSED_JOBS] = [600_000, 10_000];

/** One pass over all stuck jobs. */
interface RescuePass {
  readonly tenure: Tenure;
  readonly now: Temporal.Instant;
  readonly horizon: Temporal.Instant;
  afterId: bigint;
}

/** See the file header. */
export class Rescuer<Tx> implements MaintenanceService {
  readonly name = "rescuer";
  readonly #context: ServiceContext<Tx>;
  readonly #policy: StuckJobPolicy;
  readonly #breaker: BatchBreaker;
  readonly #refusals: RefusedRows<bigint>;

  constructor(context: ServiceContext<Tx>, policy: StuckJobPolicy) {
    this.#context = context;
    this.#policy = policy;
    const { clock } = context.environment;
    this.#breaker = new BatchBreaker(clock);
    this.#refusals = new RefusedRows<bigint>({
      clock,
      logger: context.logger,
      keepMs: REFUSED_MS,
      capacity: REFUSED_JOBS,
      attribute: "jobId",
      message: "a stuck job cannot be rescued: the database refuses the change",
    });
  }

  serve(tenure: Tenure, run: PassRunner): Promise<void> {
    const { environment, settings } = this.#context;
    const pass = (): Promise<void> => run(() => this.#pass(tenure));
    return serveOnInterval(environment.clock, settings.rescuerIntervalMs, tenure, pass);
  }

  #pass(tenure: Tenure): Promise<number | null> {
    const { environment, settings } = this.#context;
    const now = environment.clock.now();
    const pass: RescuePass = { tenure, now, horizon: before(now, settings.rescueAfterMs), afterId: 0n };
    return runBatches(environment, tenure, () => this.#batch(pass));
  }

  async #batch(pass: RescuePass): Promise<BatchResult | null> {
    const { facets, environment } = this.#context;
    const { limit } = this.#breaker;
    const page = await this.#breaker.watch(STATEMENT_LIMIT_MS, () =>
      facets.jobs.listStuck(
        { horizon: pass.horizon, afterId: pass.afterId, limit },
        driverCall(environment, STATEMENT_LIMIT_MS),
      ),
    );
    const rescues = await this.#decide(page, pass);
    if (rescues === null) return null;
    const acted = await this.#write(rescues, pass);
    if (acted === null) return null;
    pass.afterId = page.at(-1)?.id ?? pass.afterId;
    return { acted, more: page.length >= limit };
  }

  async #decide(page: readonly JobRecord[], { tenure, now }: RescuePass): Promise<Rescue[] | null> {
    const { environment, logger } = this.#context;
    const context = { clock: environment.clock, policy: this.#policy, now, signal: tenure.signal };
    const rescues: Rescue[] = [];
    const refused = new Set(this.#refusals.known);
    for (const [index, record] of page.entries()) {
      if (index % JOBS_PER_TURN === JOBS_PER_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
      try {
        const decided = refused.has(record.id) ? null : await rescueJob(record, context);
        if (decided) rescues.push(decided.rescue);
        if (decided?.unknownKind) {
          const attributes = { jobId: record.id, jobKind: record.kind };
          logger.error(attributes, "a stuck job is discarded: this client has no worker for its kind");
        }
      } catch (error) {
        logger.error({ jobId: record.id, error }, "a stuck job cannot be rescued: its row is unreadable");
      }
      // Decoding takes time, and a decoder that was given up at the end of the term has decided nothing.
      if (!tenure.holds()) return null;
    }
    return rescues;
  }

  /** Splits a batch that the database refuses, so that one bad row cannot keep the others from being rescued. */
  async #write(rescues: readonly Rescue[], pass: RescuePass): Promise<number | null> {
    if (rescues.length === 0) return 0;
    const { facets, environment } = this.#context;
    const { tenure, horizon } = pass;
    try {
      const call = driverCall<Tx>(environment, STATEMENT_LIMIT_MS);
      return await this.#breaker.watch(STATEMENT_LIMIT_MS, () =>
        facets.jobs.rescue({ term: tenure.term, horizon, rescues, refusals: this.#refusals }, call),
      );
    } catch (error) {
      if (isRetryableError(error) || isPermanentFailure(error)) throw error;
      const [only] = rescues;
      if (only !== undefined && rescues.length === 1) {
        this.#refusals.note(only.id, error);
        return 0;
      }
    }
    const half = rescues.length >> 1;
    const first = await this.#write(rescues.slice(0, half), pass);
    const second = first === null ? null : await this.#write(rescues.slice(half), pass);
    return first === null || second === null ? null : first + second;
  }
}
