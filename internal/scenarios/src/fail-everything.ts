/** All that an application can ask a client for, at a moment when the database refuses everything. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import {
  complete,
  type InsertOptions,
  type JobRow,
  type JobState,
  type JsonObject,
  type RunHandle,
  type WorkContext,
} from "riverqueue";
import type { Database } from "./database.ts";
import { CANARY, type Leaks } from "./leaks.ts";
import { openScene, quickQueue, type Scene, task } from "./scene.ts";

/** Arguments and options that nobody else may read. */
export const SECRET_ARGS: JsonObject = { secret: CANARY.args };
export const SECRET_OPTIONS: InsertOptions = { metadata: { secret: CANARY.metadata }, tags: [CANARY.tag] };

/** A key that a job lets go of once it is discarded. */
export const unique = {
  byArgs: true as const,
  byState: ["available", "pending", "retryable", "running", "scheduled"] as JobState[],
};

/** A client with all its services in quick succession, whose handler leaves an output and metadata that are secret. */
export function secretiveClient(t: TestContext, database: Database): Scene {
  const soon = { milliseconds: 100 };
  return openScene(t, database, {
    client: {
      queues: { default: quickQueue() },
      queueControlPollInterval: { milliseconds: 50 },
      queueHeartbeatInterval: { seconds: 1 },
      errorStacks: "always",
      retryPolicy: (_, now) => now.add({ hours: 1 }),
      maintenance: {
        completedJobRetention: { milliseconds: 1 },
        electionInterval: soon,
        jobCleanerInterval: soon,
        notificationCleanerInterval: soon,
        queueCleanerInterval: soon,
        rescuerInterval: soon,
        schedulerInterval: soon,
      },
    },
    handler: async ({ job, setMetadata, completeTx }) => {
      if (job.args["inOwnTransaction"] === true) return completeInAborted(database, completeTx);
      setMetadata("noted", CANARY.metadata);
      return complete({ output: CANARY.output });
    },
  });
}

/** Completes in a transaction that a statement of the application's own has broken. */
async function completeInAborted(
  database: Database,
  completeTx: WorkContext<typeof task>["completeTx"],
): Promise<void> {
  const own = await database.begin();
  await own.query("SELECT 1 FROM nowhere").catch(() => {});
  try {
    await completeTx(own.tx, { output: CANARY.output });
  } finally {
    await own.rollback();
  }
}

/** Asks for everything; each call must fail, with an error of the database that `leaks` looks at. */
export async function failEverything(leaks: Leaks, when: string, { client }: Scene, id: bigint): Promise<void> {
  const args = SECRET_ARGS;
  const calls: Record<string, () => Promise<unknown>> = {
    insert: () => client.insert(task, args, SECRET_OPTIONS),
    insertMany: () =>
      client.insertMany([
        { job: task, args, options: SECRET_OPTIONS },
        { job: task, args },
      ]),
    "insert unique": () => client.insert(task, args, { ...SECRET_OPTIONS, unique }),
    cancel: () => client.jobs.cancel(id),
    retry: () => client.jobs.retry(id),
    update: () => client.jobs.update(id, { metadata: { more: CANARY.metadata }, output: CANARY.output }),
    pause: () => client.queues.pause("default"),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await leaks.failure(`${when}, ${name}`, call);
    assert.equal((error as { code?: unknown }).code, "database", `${when}, ${name}: ${error.message}`);
  }
}

/** Looks at all that a client has logged and told, and at the errors that it stored with jobs. */
export async function lookAtClient(leaks: Leaks, { logs, events, client }: Scene, run?: RunHandle): Promise<void> {
  leaks.logs(logs);
  leaks.events(events.all);
  if (run === undefined) return;
  leaks.look("diagnostics", run.diagnostics);
  const { jobs } = await client.jobs.list({ limit: 1_000 });
  for (const job of jobs) leaks.look("stored errors", readErrors(job));
}

/** Unreadable ones of a damaged row are looked at as the error that says so. */
function readErrors(job: JobRow): unknown {
  try {
    return job.errors;
  } catch (error) {
    return error;
  }
}
