/**
 * Time that passes only while nothing is under way: then at once, as far as the timer that is due next. So what waits for an
 * answer that never comes is over soon, and nothing else is ever late.
 */
import type { Timing } from "@riverqueue/reaction/home";

/** Turns of the event loop in which nothing has begun. */
const IDLE_TURNS = 2;

interface Timer {
  readonly dueAt: number;
  readonly fire: () => void;
}

/** See the file header. */
export class VirtualTime implements Timing {
  readonly #timers = new Set<Timer>();
  #elapsed = 0;
  #underWay = 0;
  #begun = 0;
  #isPassing = false;
  #isStopped = false;

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { dueAt: this.#elapsed + Math.max(0, ms), fire: callback };
    this.#timers.add(timer);
    this.#pass();
    return () => this.#timers.delete(timer);
  }

  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const cancel = this.after(ms, resolve);
      signal?.addEventListener(
        "abort",
        () => {
          cancel();
          resolve();
        },
        { once: true },
      );
    });
  }

  /** Runs `body`, during which no time passes. */
  async during<T>(body: () => Promise<T>): Promise<T> {
    this.#underWay++;
    this.#begun++;
    try {
      return await body();
    } finally {
      this.#underWay--;
      this.#pass();
    }
  }

  /** `target`, each of its methods run {@link during}, but for those that `instead` gives. */
  watch<Target extends object>(target: Target, instead: object = {}): Target {
    return new Proxy(target, {
      get: (watched, key) => {
        if (Object.hasOwn(instead, key)) return instead[key as never];
        const value: unknown = Reflect.get(watched, key, watched);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => this.during(async () => value.apply(watched, args) as unknown);
      },
    });
  }

  /** Runs `body`, which waits for time to pass, within a {@link during}. */
  async letPass<T>(body: () => Promise<T>): Promise<T> {
    this.#underWay--;
    this.#pass();
    try {
      return await body();
    } finally {
      this.#underWay++;
    }
  }

  /** No timer goes off any more, as in a process that has ended. */
  stop(): void {
    this.#isStopped = true;
    this.#timers.clear();
  }

  #pass(): void {
    if (this.#isPassing || this.#isStopped || this.#underWay > 0 || this.#timers.size === 0) return;
    this.#isPassing = true;
    void this.#passNext();
  }

  async #passNext(): Promise<void> {
    const begun = this.#begun;
    for (let turn = 0; turn < IDLE_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
    this.#isPassing = false;
    if (this.#underWay === 0 && this.#begun === begun && !this.#isStopped) {
      const [next] = [...this.#timers].toSorted((a, b) => a.dueAt - b.dueAt);
      if (next !== undefined) {
        this.#timers.delete(next);
        this.#elapsed = Math.max(this.#elapsed, next.dueAt);
        next.fire();
      }
    }
    this.#pass();
  }
}
