/**
 * Runs what is asked for at the same time as one: the calls of one turn of the event loop, and those that come while the
 * run before is on its way. So the statements, and the waits for the disk, are those of a batch and not of a call.
 */
import type { Gather } from "../sql/sql-terms.ts";

/** Calls of one run at most. */
const LARGEST_RUN = 100;
/** A run that takes longer waits for somebody, and further ones no longer wait for it. */
const PATIENCE_MS = 50;

interface Call<Params, Result> {
  readonly params: Params;
  readonly answer: PromiseWithResolvers<Result>;
}

type GatherOptions<Params> = {
  readonly keyOf: (params: Params) => string;
  readonly isolates: (error: unknown) => boolean;
};

/** Gathers calls. `admit` rejects for one that must not be made here and now; it is asked in the caller's context. */
export function gatherCalls(admit: (() => Promise<void>) | null): Gather {
  return <Params, Result>(
    run: (all: readonly Params[]) => Promise<readonly Result[]>,
    options: GatherOptions<Params>,
  ) => {
    const gatherer = new CallGatherer(run, options);
    return async (params: Params) => {
      if (admit !== null) await admit();
      return gatherer.call(params);
    };
  };
}

class CallGatherer<Params, Result> {
  readonly #run: (all: readonly Params[]) => Promise<readonly Result[]>;
  readonly #options: GatherOptions<Params>;
  #waiting: Call<Params, Result>[] = [];
  #scheduled = false;
  #isBusy = false;

  constructor(run: (all: readonly Params[]) => Promise<readonly Result[]>, options: GatherOptions<Params>) {
    this.#run = run;
    this.#options = options;
  }

  call(params: Params): Promise<Result> {
    const answer = Promise.withResolvers<Result>();
    this.#waiting.push({ params, answer });
    this.#schedule();
    return answer.promise;
  }

  #schedule(): void {
    if (this.#scheduled || this.#isBusy || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#runNext();
    });
  }

  async #runNext(): Promise<void> {
    const calls = this.#take();
    let isOpen = false;
    const open = (): void => {
      if (isOpen) return;
      isOpen = true;
      this.#isBusy = false;
      this.#schedule();
    };
    this.#isBusy = true;
    const timer = setTimeout(open, PATIENCE_MS);
    await this.#answer(calls, open);
    clearTimeout(timer);
    open();
  }

  /** The next calls, none of the same key as another. */
  #take(): readonly Call<Params, Result>[] {
    const [keys, taken, left] = [new Set<string>(), [] as Call<Params, Result>[], [] as Call<Params, Result>[]];
    for (const call of this.#waiting) {
      const key = this.#options.keyOf(call.params);
      if (taken.length >= LARGEST_RUN || keys.has(key)) left.push(call);
      else {
        keys.add(key);
        taken.push(call);
      }
    }
    this.#waiting = left;
    return taken;
  }

  /** Never rejects. */
  async #answer(calls: readonly Call<Params, Result>[], open: () => void): Promise<void> {
    try {
      const results = await this.#run(calls.map(({ params }) => params));
      for (const [index, { answer }] of calls.entries()) answer.resolve(results[index] as Result);
    } catch (error) {
      if (calls.length > 1 && this.#options.isolates(error)) {
        open();
        await Promise.all(calls.map((call) => this.#answer([call], open)));
      } else for (const { answer } of calls) answer.reject(error);
    }
  }
}
