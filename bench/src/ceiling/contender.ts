/** What is measured beside each other: statements by hand, and the queue. */

/** One side of the comparison, on a database with River's tables. */
export interface Contender {
  /** Inserts jobs of {@link argsOf}, 1,000 a statement. */
  insertMany(count: number): Promise<void>;
  /** Inserts jobs one after another. */
  insertEach(count: number): Promise<void>;
  /** Inserts jobs one by one, with so many calls in flight. */
  insertInFlight(count: number, width: number): Promise<void>;
  /** Works `count` jobs that are there, to the end. */
  drain(count: number): Promise<void>;
  /** Inserts jobs one at a time, each for an idle worker: milliseconds from the call until the job starts. */
  latencies(count: number): Promise<number[]>;
  close(): Promise<void>;
}

/** Jobs a statement, where there is a choice. */
export const BATCH = 1_000;

/** The arguments of a job. */
export function argsOf(n: number): { readonly n: number; readonly msg: string } {
  return { n, msg: "hello world" };
}

/** Milliseconds between two insertions whose latency is measured: no less, and up to twice as many. */
const IDLE_MS = 4;

/**
 * See {@link Contender.latencies}. `started` is given a function to be called with the time, by `performance.now`, at
 * which a job starts.
 */
export async function measureLatencies(
  count: number,
  insert: (n: number) => Promise<unknown>,
  started: (listener: (at: number) => void) => void,
): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < count; n++) {
    const { promise, resolve } = Promise.withResolvers<number>();
    started(resolve);
    const began = performance.now();
    const inserting = insert(n);
    samples.push((await promise) - began);
    await inserting;
    await new Promise((ready) => setTimeout(ready, IDLE_MS * (1 + Math.random())));
  }
  return samples;
}

/** `count` calls, `width` of them in flight. */
export async function inFlight(count: number, width: number, call: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
