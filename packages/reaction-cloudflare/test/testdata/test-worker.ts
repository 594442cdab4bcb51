/** The Worker of these tests on workerd, with what tests ask of it. */
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { type BatchResult, openWorker, type WorkerChanges, workerEntries } from "@riverqueue/internal-test-kit/worker-project";
import type { EmitResult } from "@riverqueue/reaction";
import type { Miniflare } from "miniflare";
import type { Task } from "./worker/commands.ts";
import type { Look, Settings, TestEnv, Trace } from "./worker/worker.ts";

/** Configuration of the Worker. */
export const CONFIG: string = join(import.meta.dirname, "worker/wrangler.jsonc");

const EFFECT = "create table effect (execution_id text primary key, name text not null, runs integer not null)";
const REACTION = ["event", "command", "alert", "action"].map((name) => `river_reaction_${name}`);
const ANALYTICS = ["analytics_event", "analytics_salt"].map((name) => `river_reaction_${name}`);

/** A command as a row. */
export interface CommandRow {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly attempt: number;
}

/** An answer of `emit`, or that the Worker went away before. */
export type Emitted = (EmitResult & { readonly crashed?: undefined }) | { readonly crashed: true };

/** See the file header. */
export class TestWorker {
  readonly miniflare: Miniflare;
  readonly #t: TestContext;

  constructor(t: TestContext, miniflare: Miniflare) {
    this.#t = t;
    this.miniflare = miniflare;
  }

  /**
   * One Worker for all tests of a file, started by the first of them and emptied for each. Without consumers, unless told
   * otherwise: then a test delivers by itself. To be called before `failOnLeaks`, which looks after the Worker has gone.
   */
  static forFile(changes: WorkerChanges = { withoutConsumers: true }): (t: TestContext) => Promise<TestWorker> {
    let opened: Promise<Miniflare> | null = null;
    after(async () => (await opened)?.dispose());
    return async (t) => {
      const isFirst = opened === null;
      const worker = new TestWorker(t, await (opened ??= openWorker(CONFIG, changes)));
      if (isFirst) await worker.rows(EFFECT);
      else await worker.#empty();
      return worker;
    };
  }

  async #empty(): Promise<void> {
    await this.set({});
    for (const table of [...REACTION, "effect"]) await this.rows(`delete from ${table}`);
    for (const table of ANALYTICS) await this.rows(`delete from ${table}`, "ANALYTICS_DB");
    const keys = await this.kvKeys("");
    if (keys.length === 0) return;
    const { REACTION_KV: namespace } = await this.miniflare.getBindings<TestEnv>();
    await Promise.all(keys.map((key) => namespace.delete(key)));
  }

  /** What the next invocations go by. */
  async set(settings: Settings): Promise<void> {
    await this.post("/settings", settings);
  }

  async emit(key: string, ...tasks: readonly (Task | string)[]): Promise<Emitted> {
    const plan = { key, tasks: tasks.map((task) => (typeof task === "string" ? { name: task } : task)) };
    return (await this.post("/emit", plan)) as Emitted;
  }

  async post(path: string, body: unknown): Promise<unknown> {
    const answer = await this.miniflare.dispatchFetch(`http://test${path}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) this.#t.diagnostic(`${path} answered ${answer.status}`);
    return answer.json();
  }

  /** Delivers one message of the processor's queue. */
  deliver(body: unknown, attempts = 1): Promise<BatchResult> {
    return this.deliverTo("test-task", [body], attempts);
  }

  async deliverTo(queue: string, bodies: readonly unknown[], attempts = 1): Promise<BatchResult> {
    const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts, body }));
    return (await workerEntries(this.miniflare)).queue(queue, messages);
  }

  async sweep(): Promise<void> {
    await (await workerEntries(this.miniflare)).scheduled({ cron: "* * * * *" });
  }

  /** Lets handlers go on that wait for it. */
  async release(): Promise<void> {
    await this.rows("insert into effect (execution_id, name, runs) values ('release', 'release', 1) returning name");
  }

  /** What the invocation before did. */
  async trace(): Promise<Trace> {
    return (await this.post("/trace", null)) as Trace;
  }

  async rows<Row = Record<string, unknown>>(text: string, binding: Look["binding"] = "REACTION_DB"): Promise<Row[]> {
    return (await this.post("/look", { binding, text })) as Row[];
  }

  /** Commands of the event of this key, in order. */
  commands(key: string): Promise<CommandRow[]> {
    return this.rows<CommandRow>(`select c.id, c.name, c.status, c.attempt from river_reaction_command as c
      join river_reaction_event as e on e.id = c.event_id where e.idempotency_key = '${key}' order by c.position`);
  }

  /** Review marks of this event's commands. */
  async reviewMarks(key: string): Promise<string[]> {
    const marks = (await this.commands(key)).map(({ id }) => `reaction/review/${id}`);
    return (await this.kvKeys("reaction/review/")).filter((mark) => marks.includes(mark));
  }

  async statuses(key: string): Promise<string[]> {
    return (await this.commands(key)).map(({ status }) => status);
  }

  async eventStatus(key: string): Promise<string | undefined> {
    const [row] = await this.rows(`select status from river_reaction_event where idempotency_key = '${key}'`);
    return row === undefined ? undefined : String(row["status"]);
  }

  /** How often each command of the event has run, by its name. */
  async runs(key: string): Promise<Record<string, number>> {
    const rows = await this.rows(`select c.name, f.runs from effect as f join river_reaction_command as c
      on c.id = f.execution_id join river_reaction_event as e on e.id = c.event_id where e.idempotency_key = '${key}'`);
    return Object.fromEntries(rows.map((row) => [String(row["name"]), Number(row["runs"])]));
  }

  async kvKeys(prefix: string): Promise<string[]> {
    return (await this.post("/look", { prefix })) as string[];
  }
}
