/** The queue itself, with handlers that do nothing. */
import { Client, defineJob, type RegisteredTransaction, type RunHandle, Workers } from "riverqueue";
import type { RuntimeDriver } from "riverqueue/driver";
import { argsOf, BATCH, type Contender, inFlight, measureLatencies } from "./contender.ts";

const noop = defineJob<{ readonly n: number; readonly msg: string }>()({ kind: "noop" });

/** Settings of the queue while it works. */
export const QUEUE_SETTINGS = {
  fetchCooldown: { milliseconds: 1 },
  maxWorkers: 2_000,
  pollInterval: { milliseconds: 20 },
} as const;

/** See the file header. */
export class Queue implements Contender {
  readonly #client: Client;
  readonly #closeDriver: () => Promise<void>;
  #handled = 0;
  #listener: (at: number) => void = () => {};
  #run: RunHandle | null = null;

  constructor(driver: RuntimeDriver<RegisteredTransaction>, closeDriver: () => Promise<void>) {
    const workers = new Workers().add(noop, () => {
      this.#handled++;
      this.#listener(performance.now());
    });
    this.#client = new Client(driver, { logger: false, queues: { default: QUEUE_SETTINGS }, workers });
    this.#closeDriver = closeDriver;
  }

  async insertMany(count: number): Promise<void> {
    for (let first = 0; first < count; first += BATCH) {
      const length = Math.min(BATCH, count - first);
      await this.#client.insertMany(Array.from({ length }, (_, index) => ({ job: noop, args: argsOf(first + index) })));
    }
  }

  async insertEach(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await this.#client.insert(noop, argsOf(n));
  }

  async insertInFlight(count: number, width: number): Promise<void> {
    await inFlight(count, width, (n) => this.#client.insert(noop, argsOf(n)));
  }

  /** From before the start of the client until the last completion is written; without its stop. */
  async drain(count: number): Promise<void> {
    const run = (this.#run = await this.#client.start());
    await this.#untilWritten(run, count);
  }

  async latencies(count: number): Promise<number[]> {
    const run = (this.#run = await this.#client.start());
    const insert = (n: number): Promise<unknown> => this.#client.insert(noop, argsOf(n));
    const samples = await measureLatencies(count, insert, (next) => (this.#listener = next));
    await this.#untilWritten(run, count);
    return samples;
  }

  /** All jobs have been handled, and nothing waits to be written. */
  async #untilWritten(run: RunHandle, count: number): Promise<void> {
    const isWritten = (): boolean => this.#handled >= count && run.diagnostics.pendingCompletions === 0;
    // Twice: a handler that ends is on its way to where it is counted.
    for (let seen = 0; seen < 2; seen = isWritten() ? seen + 1 : 0) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async close(): Promise<void> {
    await this.#run?.stop();
    await this.#closeDriver();
  }
}
