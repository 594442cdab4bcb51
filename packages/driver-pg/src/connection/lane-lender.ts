/** Lends the lanes of a runtime: whichever of a group is free, first come first served. */
import type { Lane } from "./lane.ts";
import type { Lender, Loan } from "./lender.ts";

interface Waiting {
  readonly operation: string;
  readonly answer: PromiseWithResolvers<Loan>;
}

/** A group of lanes that serve one queue of uses. */
export class LaneGroup implements Lender {
  readonly #lanes: readonly Lane[];
  readonly #waiting: Waiting[] = [];

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
    for (const lane of lanes) lane.whenFree(() => this.#serve());
  }

  acquire(operation: string): Promise<Loan> {
    const answer = Promise.withResolvers<Loan>();
    this.#waiting.push({ operation, answer });
    this.#serve();
    return answer.promise;
  }

  /** Opens every lane. */
  async open(operation: string): Promise<void> {
    const loans = await Promise.allSettled(this.#lanes.map(() => this.acquire(operation)));
    for (const loan of loans) if (loan.status === "fulfilled") loan.value.release();
    for (const loan of loans) if (loan.status === "rejected") throw loan.reason;
  }

  /** Gives all connections back; a use that is going on is waited for by nobody. */
  close(): void {
    for (const lane of this.#lanes) lane.close();
  }

  #serve(): void {
    for (const lane of this.#lanes) {
      if (!lane.free) continue;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      lane.take(next.operation).then(next.answer.resolve, next.answer.reject);
    }
  }
}

/** Lends what another lender has, but at most one connection at a time: long uses leave the rest to short ones. */
export class OneAtATime implements Lender {
  readonly #lender: Lender;
  #last: Promise<unknown> = Promise.resolve();
  #uses = 0;

  constructor(lender: Lender) {
    this.#lender = lender;
  }

  /** Nobody uses one, and nobody waits to. */
  get free(): boolean {
    return this.#uses === 0;
  }

  async acquire(operation: string): Promise<Loan> {
    const turn = this.#nextTurn();
    const before = this.#last;
    this.#last = turn.promise;
    await before;
    try {
      const loan = await this.#lender.acquire(operation);
      return {
        connection: loan.connection,
        release: () => {
          turn.resolve();
          loan.release();
        },
        abandon: (work) => {
          work.then(() => turn.resolve(), turn.resolve);
          loan.abandon(work);
        },
      };
    } catch (error) {
      turn.resolve();
      throw error;
    }
  }

  #nextTurn(): PromiseWithResolvers<void> {
    const turn = Promise.withResolvers<void>();
    this.#uses += 1;
    void turn.promise.then(() => (this.#uses -= 1));
    return turn;
  }
}

/**
 * Lends from its own while that is free. Otherwise whichever of it and a reserve has a connection first: a long use of
 * its own holds nobody up as long as there is something else.
 */
export class WithReserve implements Lender {
  readonly #own: OneAtATime;
  readonly #reserve: Lender;

  constructor(own: OneAtATime, reserve: Lender) {
    this.#own = own;
    this.#reserve = reserve;
  }

  async acquire(operation: string): Promise<Loan> {
    if (this.#own.free) return this.#own.acquire(operation);
    const arriving = [this.#own, this.#reserve].map((lender) => lender.acquire(operation));
    // What goes wrong with one matters only when there is no other.
    const first = await Promise.any(arriving).catch((error: AggregateError) => Promise.reject(error.errors[0]));
    for (const other of arriving) other.then((loan) => loan === first || loan.release()).catch(() => {});
    return first;
  }
}
