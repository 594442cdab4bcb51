/**
 * A world in which every step that a processor waits for can be made to fail: the calls of store, queue and key-value store,
 * and the handlers. A run without faults lists the steps, so a new one cannot be forgotten.
 */
import {
  type Alert,
  defineCommand,
  defineEvent,
  type EventType,
  failed,
  on,
  type QueueSender,
  type Reaction,
  type ReactionStore,
  type WorkerCtx,
} from "@riverqueue/reaction";
import { createTimedReaction, runBatch, SqlReactionStore } from "@riverqueue/reaction/home";
import { z } from "zod";
import type { OpenHome } from "./open-home.ts";
import { listeningLogger, testCtx } from "./test-ctx.ts";
import { VirtualTime } from "./virtual-time.ts";

/**
 * What happens at a step. `error`: it throws instead of taking effect. `lost`: it takes effect and throws. `outage`: it and
 * every later call of the kind throw. `hang`: it and every later call of the kind have no effect and never answer, `hang
 * after`: it takes effect and never answers. `crash`: the process ends before it, `crash after`: after it took effect.
 */
export type FaultKind = "crash" | "crash after" | "error" | "hang" | "hang after" | "lost" | "outage";

/** A fault at the step of that number, from 0, or at the first of that name. */
export interface Fault {
  readonly step: number | string;
  readonly kind: FaultKind;
}

export const OrderShipped: EventType<{ orderId: string }, { orderId: string }> = defineEvent({
  type: "order.shipped",
  schema: z.object({ orderId: z.string() }),
});

/** Numbers steps and lets some fail. */
export class FaultySteps {
  readonly names: string[] = [];
  readonly #faults: readonly Fault[];
  readonly #first: number;
  readonly #crashed = Promise.withResolvers<"crashed">();
  readonly #outages = new Map<string, "hang" | "outage">();
  readonly #time: VirtualTime;
  #owner: string | null = null;
  #isDead = false;

  /** @param first - number of the first step, where another process has taken steps before. */
  constructor(faults: readonly Fault[], first: number, time: VirtualTime) {
    this.#faults = faults;
    this.#first = first;
    this.#time = time;
  }

  /** Names the process in the leases that it has asked for; null before the first. */
  get owner(): string | null {
    return this.#owner;
  }

  /** Resolves when the process ends. */
  get crashed(): Promise<"crashed"> {
    return this.#crashed.promise;
  }

  /** `target` with every method a step. */
  watch<Target extends object>(prefix: string, target: Target): Target {
    return new Proxy(target, {
      get: (watched, key) => {
        const value: unknown = Reflect.get(watched, key, watched);
        if (typeof value !== "function" || typeof key !== "string") return value;
        return (...args: unknown[]) => {
          this.#owner ??= ownerIn(args);
          return this.step(`${prefix}.${key}`, async () => value.apply(watched, args) as unknown);
        };
      },
    });
  }

  /** Runs `body` as a step. */
  async step<T>(name: string, body: () => Promise<T>): Promise<T> {
    if (this.#isDead) return never();
    const number = this.#first + this.names.push(name) - 1;
    const fault = this.#faults.find(({ step }) => step === number || step === name);
    const kind = fault?.kind ?? this.#outages.get(name);
    if (kind === undefined) return this.#time.during(body);
    if (kind === "crash") return this.#die();
    if (kind === "outage" || kind === "hang") this.#outages.set(name, kind);
    if (kind === "hang") return never();
    if (kind === "error" || kind === "outage") throw new Error(`${name} failed`);
    await this.#time.during(body);
    if (kind === "hang after") return never();
    return kind === "lost" ? Promise.reject(new Error(`the answer of ${name} was lost`)) : this.#die();
  }

  #die<T>(): Promise<T> {
    this.#isDead = true;
    this.#time.stop();
    this.#crashed.resolve("crashed");
    return never();
  }
}

function ownerIn(args: readonly unknown[]): string | null {
  const [params] = args as readonly ({ readonly owner?: unknown } | null | undefined)[];
  return typeof params?.owner === "string" ? params.owner : null;
}

/** One process: a reaction whose steps may fail, and what it has noticed. */
export interface FaultyProcess<Tx> {
  readonly reaction: Reaction<Tx>;
  readonly steps: FaultySteps;
  /** Codes of the alerts that its handler was told. */
  readonly told: string[];
  /** Codes of all alerts, from its log. */
  readonly logged: () => readonly string[];
  readonly ctx: WorkerCtx;
}

/** What distinguishes worlds. */
export interface WorldOptions {
  readonly sendsInTransaction: boolean;
  /** A command whose process ended is put into review. */
  readonly reviews?: boolean;
  /** The sync command fails for good, and the async one comes after it. */
  readonly refuses?: boolean;
  /** The async handler takes until its lease has been renewed, or could not be. */
  readonly renews?: boolean;
}

/** Messages, effects and runs outlive processes. */
export class FaultWorld<Tx> {
  readonly #opened: OpenHome<Tx>;
  readonly #options: WorldOptions;
  readonly #queued: { body: unknown; attempts: number; taken: boolean }[] = [];
  #at = Date.now();
  /** Effects by execution id: writing one twice is writing it once. */
  readonly effects: Map<string, string> = new Map();
  /** Handler runs by execution id. */
  readonly runs: Map<string, number> = new Map();

  constructor(opened: OpenHome<Tx>, options: WorldOptions) {
    this.#opened = opened;
    this.#options = options;
  }

  now(): Date {
    return new Date(this.#at);
  }

  advance(ms: number): void {
    this.#at += ms;
  }

  /** @param first - number of its first step. */
  process(faults: readonly Fault[], first = 0): FaultyProcess<Tx> {
    const { reviews = false, refuses = false, renews = false } = this.#options;
    const time = new VirtualTime();
    const steps = new FaultySteps(faults, first, time);
    const told: string[] = [];
    const logger = listeningLogger();
    const renewal = new Renewal(time);
    const schema = z.object({ orderId: z.string() });
    const afterCrash = reviews ? "review" : "retry";
    const run = (name: string, executionId: string, end: () => unknown) =>
      steps.step(`handler.${name}`, async () => {
        this.runs.set(executionId, (this.runs.get(executionId) ?? 0) + 1);
        return end();
      });
    const grant = defineCommand({
      name: "grant",
      mode: "sync",
      schema,
      afterCrash,
      execute: ({ executionId }) =>
        run("grant", executionId, () => {
          if (refuses) return failed({ code: "refused", message: "not today", retry: false });
          this.effects.set(executionId, "grant");
          return undefined;
        }) as Promise<undefined>,
    });
    const send = defineCommand({
      name: "send",
      mode: "async",
      schema,
      afterCrash,
      ...(refuses && { after: grant }),
      execute: ({ executionId, signal }) =>
        run("send", executionId, async () => {
          if (renews) await renewal.wait(signal);
          this.effects.set(executionId, "send");
        }) as Promise<undefined>,
    });
    const options = {
      policies: [on(OrderShipped, ({ event }) => [grant.with(event.payload), send.with(event.payload)])],
      store: renewal.watch(steps.watch("store", this.#store())),
      queue: steps.watch("queue", this.#queue()),
      keyValue: steps.watch("keyValue", this.#opened.home.keyValue),
      analyticsStore: steps.watch("analyticsStore", this.#opened.home.analyticsStore),
      alerts: ({ code }: Alert) => steps.step("alerts", async () => void told.push(code)),
      commands: [grant, send],
    };
    const reaction = createTimedReaction(options, time);
    const logged = () => logger.logged.flatMap(({ attributes }) => attributes["alert"] ?? []).map(String);
    return { reaction, steps, told, logged, ctx: testCtx({ entry: "queue", logger, now: () => this.now() }) };
  }

  /** Delivers what is queued once, until nothing of it is left or the process ends. */
  async deliverAll({ reaction, ctx }: Pick<FaultyProcess<Tx>, "ctx" | "reaction">): Promise<number> {
    await this.#takeJobs();
    const due = this.#queued.splice(0);
    // What is not acknowledged by the end comes back, whatever ended the delivery.
    this.#queued.push(...due.map(({ body, attempts }) => ({ body, attempts: attempts + 1, taken: false })));
    for (const [index, message] of due.entries()) {
      const [verdict] = await runBatch(
        reaction.consume,
        "async-policy-task",
        [{ id: String(index), timestamp: this.now(), attempts: message.attempts, body: message.body }],
        ctx,
      );
      const kept = this.#queued[index];
      if (kept !== undefined && (verdict?.type === "ack" || kept.attempts > 4)) kept.taken = true;
    }
    const left = this.#queued.filter(({ taken }) => !taken);
    this.#queued.splice(0, Infinity, ...left);
    return due.length;
  }

  #store(): ReactionStore<Tx> {
    const { home, driver } = this.#opened;
    if (this.#options.sendsInTransaction) return home.store;
    return new SqlReactionStore<Tx>(
      {
        dialect: driver.backend,
        sendsInTransaction: false,
        tableName: (table) => driver.extension.tableName(table),
        run: async (statements) => (await driver.extension.run(statements)).map(({ rows }) => rows),
      },
      { now: () => this.now() },
    );
  }

  #queue(): QueueSender {
    if (this.#options.sendsInTransaction) return { send: (messages) => this.#opened.home.queue.send(messages) };
    return {
      send: async (messages) =>
        void this.#queued.push(...messages.map(({ body }) => ({ body, attempts: 1, taken: false }))),
    };
  }

  /** Messages that a transaction has sent are rows of River's. */
  async #takeJobs(): Promise<void> {
    const id = this.#opened.driver.backend === "sqlite" ? "args ->> '$.body.event'" : "args #>> '{body,event}'";
    const rows = await this.#opened.rows(`delete from river_job returning ${id} as event`);
    this.#queued.push(...rows.map(({ event }) => ({ body: { event }, attempts: 1, taken: false })));
  }
}

/** Lets a handler wait for the first renewal of its lease, however that ends. */
class Renewal {
  readonly #time: VirtualTime;
  #asked = Promise.withResolvers<void>();

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  async wait(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#asked.resolve(), { once: true });
    await this.#time.letPass(() => this.#asked.promise);
    this.#asked = Promise.withResolvers();
  }

  watch<Tx>(store: ReactionStore<Tx>): ReactionStore<Tx> {
    return new Proxy(store, {
      get: (watched, key) => {
        const value: unknown = Reflect.get(watched, key, watched);
        if (key !== "renewLease") return value;
        return async (...args: Parameters<ReactionStore["renewLease"]>) => {
          try {
            return await (value as ReactionStore["renewLease"])(...args);
          } finally {
            this.#asked.resolve();
          }
        };
      },
    });
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
