/** A client whose jobs run in threads: a scene with its executor, and what is counted of its handlers and threads. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { pollUntil } from "@riverqueue/internal-test-kit";
import { WorkerThreads, type WorkerThreadsOptions } from "@riverqueue/worker-threads";
import { type ClientOptions, type InsertOptions, type JsonObject, Workers } from "riverqueue";
import { beforeClosing, type Database } from "./database.ts";
import { openScene, quickQueue, type Scene, task } from "./scene.ts";

/** How a scenario wants its threads. */
export interface ThreadSceneOptions {
  /** Module of the handler, by the name that it has when it is compiled. */
  readonly module: URL;
  /** Export that works the kind `task`. */
  readonly exportName: string;
  /** Two threads unless given. */
  readonly threads?: Partial<WorkerThreadsOptions>;
  /** Further options; fifty workers, so that attempts wait for threads, unless given. */
  readonly client?: Omit<ClientOptions, "workers">;
}

/** See the file header. */
export interface ThreadScene extends Omit<Scene, "calls"> {
  readonly executor: WorkerThreads;
  /** Inserts jobs with these arguments. */
  readonly insertEach: (args: readonly JsonObject[], options?: InsertOptions) => Promise<bigint[]>;
  /** How often the handler of a job has logged the message {@link CALLED}. */
  readonly callsOf: (id: bigint) => number;
  /** Resolves once there are `count` of the pool's crashes. */
  readonly crashes: (count: number) => Promise<void>;
}

/** What handlers log first. */
export const CALLED = "called";

/** See the file header. */
export function openThreadScene(t: TestContext, database: Database, options: ThreadSceneOptions): ThreadScene {
  const { module, exportName } = options;
  const executor = new WorkerThreads({ maxThreads: 2, ...options.threads });
  const workers = new Workers().addExecutor(task, executor.handler(task, { exportName, module }));
  const scene = openScene(t, database, {
    client: { queues: { default: quickQueue(50) }, ...options.client, workers },
  });
  beforeClosing(t, () => executor.close());
  return {
    ...scene,
    executor,
    async insertEach(args, insertOptions) {
      const jobs = args.map((one) => ({ job: task, args: one, ...(insertOptions && { options: insertOptions }) }));
      return (await scene.client.insertMany(jobs)).map(({ job }) => job.id);
    },
    callsOf: (id) =>
      scene.logs.filter(({ message, attributes }) => message === CALLED && attributes["jobId"] === String(id)).length,
    async crashes(count) {
      await pollUntil(() => executor.diagnostics().crashedThreads >= count);
      assert.equal(executor.diagnostics().crashedThreads, count);
    },
  };
}
