import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { failOnLeaks, waitForItem } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { Client, type EventSubscription, Workers } from "riverqueue";
import { Display } from "../src/display.ts";
import { FILES_QUEUE, indexFile } from "../src/index-file-job.ts";
import { type Progress, watchProgress } from "../src/watch-progress.ts";

failOnLeaks();

interface Watched {
  readonly progress: Progress;
  /** Inserts a job and returns its ID. */
  readonly insert: (path: string) => Promise<bigint>;
  /** Lets the job of a file end, and waits until everybody has been told. */
  readonly finish: (path: string) => Promise<void>;
  /** What a log would show. */
  readonly shown: () => string;
}

/** A client whose jobs end when they are told to, with a progress that follows it. */
async function startWatching(t: TestContext): Promise<Watched> {
  let shown = "";
  const stream = { isTTY: false, write: (text: string) => ((shown += text), true) } as unknown as NodeJS.WriteStream;
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (path: string): PromiseWithResolvers<void> => {
    const known = gates.get(path) ?? Promise.withResolvers<void>();
    gates.set(path, known);
    return known;
  };
  const driver = SqliteDriver.memory();
  await createMigrator(driver).migrateUp();
  const client = new Client(driver, {
    queues: { [FILES_QUEUE]: { maxWorkers: 10, pollInterval: { milliseconds: 100 } } },
    workers: new Workers().add(indexFile, ({ job }) => gate(Buffer.from(job.args.path).toString()).promise),
  });
  const progress = watchProgress(client, new Display(stream));
  // Told after the progress, which has subscribed first.
  const ends: EventSubscription = client.subscribe({ kinds: ["job_completed"] });
  const run = await client.start();
  t.after(async () => {
    for (const { resolve } of gates.values()) resolve();
    await run.stop();
    driver.close();
  });
  return {
    progress,
    insert: async (path) =>
      (await client.insert(indexFile, { path, bytes: Buffer.from(path).toString("base64") })).job.id,
    finish: async (path) => {
      gate(path).resolve();
      await waitForItem(ends, (event) => event.kind === "job_completed" && event.job.args["path"] === path);
    },
    shown: () => shown,
  };
}

test("jobs that an earlier run has left do not count as those of this one", async (t) => {
  const { progress, insert, finish, shown } = await startWatching(t);
  for (const left of ["x", "y", "z"]) {
    await insert(left);
    await finish(left);
  }
  progress.expect([await insert("a"), await insert("b")]);
  progress.show();
  assert.equal(shown(), "");
  await finish("a");
  assert.equal(shown(), "1 of 2 files\n");
  await finish("b");
  assert.equal(shown(), "1 of 2 files\n2 of 2 files\n");
});

test("nothing is claimed while the walk goes on, and jobs that end before they are expected count", async (t) => {
  const { progress, insert, finish, shown } = await startWatching(t);
  const quick = await insert("quick");
  await finish("quick");
  progress.expect([quick]);
  const second = await insert("second");
  progress.expect([second]);
  await finish("second");
  assert.equal(shown(), "");
  progress.expect([await insert("last")]);
  progress.show();
  assert.equal(shown(), "2 of 3 files\n");
  await finish("last");
  assert.equal(shown(), "2 of 3 files\n3 of 3 files\n");
});

test("jobs of other folders that end later do not fill the bar", async (t) => {
  const { progress, insert, finish, shown } = await startWatching(t);
  await insert("elsewhere");
  progress.expect([await insert("a"), await insert("b")]);
  progress.show();
  await finish("elsewhere");
  await finish("a");
  assert.equal(shown(), "1 of 2 files\n");
});
