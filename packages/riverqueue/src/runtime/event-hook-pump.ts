/**
 * Runs `onEvent` hooks, one event after another, apart from whoever emits: in turns of the event loop of its own and
 * outside the context of any attempt. A hook that fails is logged, counted and otherwise ignored.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Logger } from "../kit/logger.ts";
import type { RiverEvent } from "../model/river-event.ts";
import { LaggingEventQueue } from "./lagging-event-queue.ts";

/** An `onEvent` hook; a promise it returns is waited for before the next event. */
export type EventHook = (event: RiverEvent) => unknown;

/** Events that wait for slow hooks; beyond it the oldest are dropped and hooks get a `subscription_lag` event. */
export const EVENT_HOOK_CAPACITY = 10_000;
/** Events handled before other work gets a turn. */
const EVENTS_PER_TURN = 64;

/** See the file header. */
export class EventHookPump {
  readonly #hooks: readonly EventHook[];
  readonly #logger: Logger;
  readonly #queue: LaggingEventQueue;
  readonly #outside: <T>(run: () => T) => T = AsyncLocalStorage.snapshot();
  /** The delivery under way, as the code of its hooks and this pump see it. */
  readonly #caller: AsyncLocalStorage<object> = new AsyncLocalStorage();
  #delivery: object | null = null;
  #running: Promise<void> | null = null;
  #failures = 0;

  constructor(hooks: readonly EventHook[], logger: Logger, now: () => Temporal.Instant) {
    this.#hooks = hooks;
    this.#logger = logger;
    this.#queue = new LaggingEventQueue(EVENT_HOOK_CAPACITY, now);
  }

  /** Calls of hooks that threw or rejected. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether there is any hook. */
  get isWanted(): boolean {
    return this.#hooks.length > 0;
  }

  /** Whether the calling code belongs to a hook that has not finished with its event. */
  get isRunningCaller(): boolean {
    return this.#delivery !== null && this.#caller.getStore() === this.#delivery;
  }

  push(event: RiverEvent): void {
    if (!this.isWanted) return;
    this.#queue.push(event);
    this.#running ??= this.#outside(() => this.#run());
  }

  /** Resolves when the hooks have had every event. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    for (;;) {
      await new Promise(setImmediate);
      for (let count = 0; count < EVENTS_PER_TURN; count++) {
        const event = this.#queue.shift();
        if (event === undefined) {
          this.#running = null;
          return;
        }
        await this.#deliverOne(event);
      }
    }
  }

  async #deliverOne(event: RiverEvent): Promise<void> {
    const delivery = (this.#delivery = {});
    await this.#caller.run(delivery, () => this.#deliver(event));
    this.#delivery = null;
  }

  async #deliver(event: RiverEvent): Promise<void> {
    for (const hook of this.#hooks) {
      try {
        await hook(event);
      } catch (error) {
        this.#failures += 1;
        this.#logger.error({ error, event: event.kind, failures: this.#failures }, "onEvent hook failed");
      }
    }
  }
}
