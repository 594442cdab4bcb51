/** A client on a leased SQLite database whose kinds are worked by exports of the handlers in threads. */
import type { TestContext } from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { leaseSqliteDatabase, withDeadline } from "@riverqueue/internal-test-kit";
import {
  Client,
  type ClientOptions,
  defineJob,
  type InsertOptions,
  type JobRow,
  type JsonObject,
  type RiverEvent,
  type RiverEventKind,
  type RunHandle,
  type WorkExecutorTarget,
  Workers,
} from "riverqueue";
import { WorkerThreads } from "../../src/index.ts";
import { handlers } from "./attempts.ts";

/** How a test wants its client. */
export interface ClientWithThreadsOptions {
  /** Exports of the handlers; each works the kind of its own name. */
  readonly kinds: readonly string[];
  readonly executor?: {
    handler(definition: ReturnType<typeof defineJob>, target: { exportName: string; module: URL }): WorkExecutorTarget;
  };
  readonly maxThreads?: number;
  readonly module?: URL;
  readonly maxWorkers?: number;
  readonly client?: ClientOptions;
}

/** See the file header. */
export interface ClientWithThreads {
  readonly client: Client;
  /** The executor that was made, when none was given. */
  readonly executor: WorkerThreads;
  readonly run: RunHandle;
  readonly logs: readonly { readonly attributes: Readonly<Record<string, unknown>>; readonly message: string }[];
  readonly insert: (kind: string, args?: JsonObject, options?: InsertOptions) => Promise<bigint>;
  readonly row: (id: bigint) => Promise<JobRow>;
  /** The next event of a kind, of one job if one is named; those that have been are looked at first. */
  readonly event: <Kind extends RiverEventKind>(kind: Kind, id?: bigint) => Promise<RiverEvent & { readonly kind: Kind }>;
}

/** See the file header. The client has started; it is stopped, and the executor closed, after the test. */
export async function clientWithThreads(t: TestContext, options: ClientWithThreadsOptions): Promise<ClientWithThreads> {
  const database = await leaseSqliteDatabase(t);
  const driver = new SqliteDriver(database.open({ timeout: 5_000 }));
  const own = new WorkerThreads({ maxThreads: options.maxThreads ?? 2 });
  const executor = options.executor ?? own;
  const logs: ClientWithThreads["logs"][number][] = [];
  const log = (attributes: Readonly<Record<string, unknown>>, message: string): void =>
    void logs.push({ attributes, message });
  const workers = new Workers();
  for (const kind of options.kinds) {
    const definition = defineJob({ kind });
    workers.addExecutor(definition, executor.handler(definition, { exportName: kind, module: options.module ?? handlers }));
  }
  const client: Client = new Client(driver, {
    queues: {
      default: {
        maxWorkers: options.maxWorkers ?? 10,
        fetchCooldown: { milliseconds: 5 },
        pollInterval: { milliseconds: 50 },
      },
    },
    workers,
    eventLoopDelay: false,
    logger: { debug: log, info: log, warn: log, error: log },
    ...options.client,
  });
  const events = eventsOf(client);
  const run = await client.start();
  t.after(async () => {
    await withDeadline(run.stop({ mode: "cancel" }), "the stop after the test");
    await own.close();
    driver.close();
  });
  return {
    client,
    executor: own,
    run,
    logs,
    insert: async (kind, args = {}, insertOptions = {}) =>
      (await client.insert(defineJob({ kind }), args, insertOptions)).job.id,
    row: async (id) => {
      const row = await client.jobs.get(id);
      if (row === null) throw new Error(`job ${id} is gone`);
      return row;
    },
    event: events,
  };
}

function eventsOf(client: Client): ClientWithThreads["event"] {
  const seen: RiverEvent[] = [];
  let wake: (() => void)[] = [];
  const read = async (): Promise<void> => {
    for await (const event of client.subscribe({ capacity: 100_000 })) {
      seen.push(event);
      for (const one of wake.splice(0)) one();
    }
  };
  void read();
  return (kind, id) => {
    const fits = (event: RiverEvent): boolean =>
      event.kind === kind && (id === undefined || ("job" in event && event.job.id === id));
    const search = async (): Promise<RiverEvent> => {
      for (;;) {
        const found = seen.find(fits);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => (wake = [...wake, resolve]));
      }
    };
    return withDeadline(search(), () => `${kind}; came ${seen.map((event) => event.kind).join(", ")}`) as never;
  };
}
