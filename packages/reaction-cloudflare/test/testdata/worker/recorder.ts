/**
 * Records every call of the parts that a home gives to a processor, and has one of them go wrong. One recorder belongs to
 * one invocation; when it crashes, nothing that the invocation still does has an effect.
 */

/**
 * - `refused`: the call fails once and has no effect; `lost`: it has its effect and fails once.
 * - `down`: this call and all later ones of the same part fail.
 * - `crash`: the process ends before the call; `crash-after`: right after its effect.
 */
export type FaultMode = "crash" | "crash-after" | "down" | "lost" | "refused";

/** Which call goes wrong, by its place among all, and how. */
export interface Fault {
  readonly step: number;
  readonly mode: FaultMode;
}

/** Bodies of messages that were sent to `async-policy-task`. */
export type SentBody = unknown;

/** See the file header. */
export class Recorder {
  readonly steps: string[] = [];
  readonly sent: SentBody[] = [];
  readonly #fault: Fault | null;
  readonly #crash: PromiseWithResolvers<never> = Promise.withResolvers();
  #down: string | null = null;
  #dead = false;

  constructor(fault: Fault | null) {
    this.#fault = fault;
    this.#crash.promise.catch(() => {});
  }

  /** `work`, or a rejection as soon as the process ends. */
  survive<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#crash.promise]);
  }

  /** The part with every call recorded. */
  record<Part extends object>(name: string, part: Part): Part {
    // Around an object of its own, since a proxy must be true to one that is frozen.
    return new Proxy({} as Part, {
      get: (_, property) => {
        const member: unknown = Reflect.get(part, property, part);
        if (typeof member !== "function") return member;
        return (...args: readonly unknown[]) =>
          this.#call(name, String(property), args, () => Reflect.apply(member, part, args) as unknown);
      },
    });
  }

  async #call(part: string, method: string, args: readonly unknown[], call: () => unknown): Promise<unknown> {
    if (this.#dead) return new Promise(() => {});
    const isHit = this.#fault?.step === this.steps.length;
    const mode = isHit ? this.#fault?.mode : undefined;
    this.steps.push(`${part}.${method}`);
    if (mode === "down") this.#down = part;
    if (mode === "refused" || this.#down === part) throw new Error(`${part} is down`);
    if (mode === "crash") return this.#die();
    const result = await call();
    if (part === "queue") this.sent.push(...(args[0] as { readonly body: unknown }[]).map(({ body }) => body));
    if (mode === "crash-after") return this.#die();
    if (mode === "lost") throw new Error("the answer was lost");
    return result;
  }

  #die(): Promise<never> {
    this.#dead = true;
    this.#crash.reject(new Error("the process has ended"));
    return new Promise(() => {});
  }
}
