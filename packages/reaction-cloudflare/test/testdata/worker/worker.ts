/** The Worker of the tests: the package's own Worker, made anew for each invocation around a recorder. */
import { type Alert, createReaction, defineQueue, type Reaction, resolveFetchWorkerCtx } from "@riverqueue/reaction";
import { LAST_DELIVERY_RULES, QUEUE_RULES } from "@riverqueue/internal-test-kit/reaction/queue-rules";
import {
  type CloudflareBindings,
  type CloudflareWorker,
  createCloudflareHome,
  createQueueSender,
  createWorker,
  type DeliveredBatch,
  type QueueBinding,
} from "@riverqueue/reaction-cloudflare";
import { Hono } from "hono";
import { Planned, plannedCommands, type Plan, plannedPolicy, released } from "./commands.ts";
import { type Fault, Recorder } from "./recorder.ts";

export interface TestEnv extends CloudflareBindings {
  readonly EXPORTS_QUEUE: QueueBinding;
}

/** What the next invocation goes by; set through `/settings`, kept by the isolate. */
export interface Settings {
  readonly fault?: Fault | null;
  /** The commands are known before an event names them. */
  readonly lists?: boolean;
  /** Moves the clock of the stores on. */
  readonly clockMs?: number;
  readonly leaseMs?: number;
  /** The consumer of the application's own queue does what this one of `QUEUE_RULES` says. */
  readonly rule?: number;
  /** Or this one of `LAST_DELIVERY_RULES`. */
  readonly lastRule?: number;
  /** Entries log through `async-logger`. */
  readonly logs?: boolean;
  /** The names of the queues of log entries and of analytics events are mixed up. */
  readonly mixedUp?: boolean;
  /** One `reaction` for all invocations, as in an application. */
  readonly shared?: boolean;
}

/** What the invocation before did. */
export interface Trace {
  readonly steps: readonly string[];
  readonly sent: readonly unknown[];
  readonly alerts: readonly string[];
  /** Messages that a consumer logged as marked already. */
  readonly ignored: number;
}

/** Asks for rows of a database, or for the keys of a prefix. */
export interface Look {
  readonly binding: "ANALYTICS_DB" | "REACTION_DB";
  readonly text: string;
  readonly prefix?: string | undefined;
}

/** What the application's own queue is sent: something to count, to emit, or to deliver again after so many seconds. */
export type ExportBody =
  | string
  | { readonly count: string }
  | { readonly emit: string }
  | { readonly retryAfter: number };

let settings: Settings = {};
let last: Invocation | null = null;

class Invocation {
  readonly recorder: Recorder = new Recorder(settings.fault ?? null);
  readonly alerts: string[] = [];
  readonly reaction: Reaction<never>;
  readonly worker: CloudflareWorker<TestEnv>;
  ignored = 0;

  constructor(env: TestEnv) {
    const { clockMs = 0, leaseMs = 60_000, logs = false, mixedUp = false, lists = false } = settings;
    const commands = plannedCommands(env.REACTION_DB);
    const { recorder } = this;
    const home = createCloudflareHome(env, { now: () => new Date(Date.now() + clockMs) });
    this.reaction = createReaction({
      ...home,
      store: recorder.record("store", home.store),
      queue: recorder.record("queue", home.queue),
      keyValue: recorder.record("keyValue", home.keyValue),
      analyticsStore: recorder.record("analyticsStore", home.analyticsStore),
      loggerQueue: logs ? recorder.record("loggerQueue", home.loggerQueue) : undefined,
      queueNames: mixedUp
        ? { ...home.queueNames, "async-logger": env.ANALYTICS_QUEUE_NAME, "analytics-events": env.ASYNC_LOGGER_QUEUE_NAME }
        : home.queueNames,
      policies: [plannedPolicy(commands)],
      ...(lists && { commands: Object.values(commands) }),
      alerts: ({ code }: Alert) => void this.alerts.push(code),
      queues: [this.#dead(env)],
      lease: { milliseconds: leaseMs },
      emission: { firstDelay: { milliseconds: 1 } },
      retry: { firstDelay: { milliseconds: 1 }, longestDelay: { milliseconds: 1 } },
    });
    const logger = {
      debug() {},
      info() {},
      error() {},
      warn: (_: unknown, message: string) => void (message.includes("marked already") && this.ignored++),
    };
    this.worker = createWorker({
      reaction: this.reaction,
      fetch: this.#app().fetch,
      queues: [{ definition: this.#exports(env), actualName: "exports" }],
      scheduled({ cron }, ctx) {
        ctx.logger.info({}, "cron has come");
        if (cron === "0 0 1 1 *") throw new Error("it throws");
      },
      logging: { logger },
    });
  }

  get trace(): Trace {
    const { recorder, alerts, ignored } = this;
    return { steps: recorder.steps, sent: recorder.sent, alerts, ignored };
  }

  #app(): Hono<{ Bindings: TestEnv }> {
    const app = new Hono<{ Bindings: TestEnv }>();
    app.post("/emit", async (c) => {
      const { key, tasks } = await c.req.json<Plan & { readonly key: string }>();
      const event = Planned.create({ idempotencyKey: key, payload: { tasks } });
      return c.json(await this.reaction.processor.emit(resolveFetchWorkerCtx(c), event));
    });
    app.post("/track", async (c) => {
      await this.reaction.analytics?.track(resolveFetchWorkerCtx(c), await c.req.json());
      return c.json(null);
    });
    app.post("/log", async (c) => {
      for (const message of await c.req.json<string[]>()) resolveFetchWorkerCtx(c).logger.info({ message }, message);
      return c.json(null);
    });
    app.post("/stream", (c) => {
      const { logger } = resolveFetchWorkerCtx(c);
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await released(c.env.REACTION_DB);
          logger.info({}, "the stream ends");
          controller.enqueue(new TextEncoder().encode('"streamed"'));
          controller.close();
        },
      });
      logger.info({}, "the stream begins");
      return c.body(body);
    });
    app.post("/export", async (c) => {
      const groups: number[] = [];
      const sender = createQueueSender({
        sendBatch(messages) {
          groups.push(messages.length);
          return c.env.EXPORTS_QUEUE.sendBatch(messages);
        },
      });
      const bodies = await c.req.json<ExportBody[]>();
      const error = await sender.send(bodies.map((body) => ({ body: body as never }))).then(
        () => null,
        ({ code, message }: { code: string; message: string }) => ({ code, message }),
      );
      return c.json({ groups, error });
    });
    return app;
  }

  #exports({ REACTION_KV: kv }: TestEnv): ReturnType<typeof defineQueue> {
    return defineQueue({
      name: "csv-exports",
      batchSize: 100,
      maxRetries: 1,
      deadLetterQueue: "dead",
      consume: async (batch, ctx) => {
        const rule = settings.rule === undefined ? undefined : QUEUE_RULES[settings.rule];
        if (rule !== undefined) return rule.consume(batch);
        const lastRule = settings.lastRule === undefined ? undefined : LAST_DELIVERY_RULES[settings.lastRule];
        if (lastRule !== undefined) {
          await Promise.all(batch.messages.map(({ body, attempts }) => kv.put(`delivered/${String(body)} ${attempts}`, "")));
          return lastRule.consume(batch);
        }
        for (const message of batch.messages) {
          const body = message.body as ExportBody;
          if (typeof body === "object" && "retryAfter" in body) message.retry({ delay: { seconds: body.retryAfter } });
          else if (typeof body === "object" && "emit" in body) {
            const tasks = [{ name: "sync" }, { name: "async" }];
            await this.reaction.processor.emit(ctx, Planned.create({ idempotencyKey: body.emit, payload: { tasks } }));
          }
          else await kv.put(`export/${message.id}`, "");
        }
      },
    });
  }

  #dead({ REACTION_KV: kv }: TestEnv): ReturnType<typeof defineQueue> {
    return defineQueue({
      name: "dead",
      maxRetries: 0,
      async consume(batch) {
        await Promise.all(batch.messages.map(({ body, attempts }) => kv.put(`dead/${nameOf(body)} ${attempts}`, "")));
        batch.retryAll();
      },
    });
  }
}

function nameOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** Answers tests that look into the stores: much quicker than by way of the bindings that Miniflare has for Node.js. */
async function look(env: TestEnv, { binding, text, prefix }: Look): Promise<unknown> {
  if (prefix !== undefined) return (await env.REACTION_KV.list({ prefix })).keys.map(({ name }) => name);
  const [result] = await env[binding].batch([env[binding].prepare(text)]);
  return result?.results;
}

function invoke(env: TestEnv): Invocation {
  if (settings.shared !== true || last === null) last = new Invocation(env);
  return last;
}

// oxlint-disable-next-line import/no-default-export -- that is how a Worker is found
export default {
  async fetch(request: Request, env: TestEnv, ctx: { waitUntil(work: Promise<unknown>): void }): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/settings") {
      settings = (await request.json()) as Settings;
      last = null;
      return Response.json(null);
    }
    if (pathname === "/trace") return Response.json(last?.trace);
    if (pathname === "/look") return Response.json(await look(env, (await request.json()) as Look));
    const { recorder, worker } = invoke(env);
    return recorder.survive(worker.fetch(request, env, ctx)).catch(() => Response.json({ crashed: true }));
  },
  queue(batch: DeliveredBatch, env: TestEnv, ctx: { waitUntil(work: Promise<unknown>): void }): Promise<void> {
    const { recorder, worker } = invoke(env);
    return recorder.survive(worker.queue(batch, env, ctx));
  },
  scheduled(
    event: { readonly cron: string; readonly scheduledTime: number },
    env: TestEnv,
    ctx: { waitUntil(work: Promise<unknown>): void },
  ): Promise<void> {
    const { recorder, worker } = invoke(env);
    return recorder.survive(worker.scheduled(event, env, ctx)).catch(() => {});
  },
};
