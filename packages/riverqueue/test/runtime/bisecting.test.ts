/** Values that the database refuses: only the rows they belong to suffer, and as little as possible. */
import assert from "node:assert/strict";
import test from "node:test";
import type { TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { RiverMetric } from "../../src/model/river-metric.ts";
import { complete } from "../../src/work/outcome.ts";
import { aborted, type ClientOnSqlite, clientOnSqlite, quickQueue } from "../testdata/client-on-sqlite.ts";
import { databaseError } from "../testdata/intercepted-driver.ts";

failOnLeaks();

interface Refusing extends ClientOnSqlite {
  readonly metrics: readonly RiverMetric[];
}

/** A database with a trigger that refuses job rows for which `condition` holds. */
async function refusing(
  t: TestContext,
  condition: string,
  options: Parameters<typeof clientOnSqlite>[1] = {},
): Promise<Refusing> {
  const metrics: RiverMetric[] = [];
  const opened = await clientOnSqlite(t, {
    ...options,
    client: {
      queues: { default: quickQueue(50) },
      hooks: { onMetric: (metric) => void (metric.name.startsWith("job_completion") && metrics.push(metric)) },
      ...options.client,
    },
  });
  opened.sql.exec(
    `CREATE TRIGGER refuse BEFORE UPDATE ON river_job WHEN ${condition} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  );
  return { ...opened, metrics };
}

test("C01 JS-83 JS-84 an output that cannot be stored is replaced by a note, at once, and its neighbours keep theirs", async (t) => {
  const { start, insert, row, events, metrics, logs } = await refusing(t, "NEW.metadata ->> '$.output' = 'bad'", {
    handler: ({ job, setMetadata }) => {
      setMetadata("kept", job.args["n"] as number);
      return complete({ output: job.args["n"] === 4 ? "bad" : `fine ${Number(job.args["n"])}` });
    },
  });
  const ids = await insert(10);
  await start();
  await events.when("job_completed", 10);
  for (const [n, id] of ids.entries()) {
    const { state, metadata } = await row(id);
    const output = n === 4 ? "not stored: the database refused the value (constraint)" : `fine ${n}`;
    assert.deepEqual([state, metadata["output"], metadata["kept"]], ["completed", output, n]);
  }
  assert.deepEqual(metrics, [{ name: "job_completion_degraded", count: 1 }]);
  const logged = logs.filter(({ level }) => level === "error");
  assert.deepEqual(
    logged.map(({ message }) => message),
    ["a completion was stored without a value"],
  );
  assert.equal(events.of("job_completed").length, 10);
});

test("C01 metadata and error texts are given up after the output, the state last of all", async (t) => {
  const { start, insert, row, events, metrics } = await refusing(
    t,
    "NEW.metadata ->> '$.note' = 'bad' OR CAST(NEW.errors AS TEXT) LIKE '%unstorable%'",
    {
      handler: ({ job, setMetadata, recordOutput }) => {
        recordOutput("out");
        if (job.args["n"] === 1) setMetadata("note", "bad");
        if (job.args["n"] === 2) throw new Error("an unstorable text");
      },
    },
  );
  const [plain = 0n, noted = 0n, failed = 0n] = await insert(3, { maxAttempts: 1 });
  await start();
  await events.when("job_completed", 2);
  await events.when("job_failed");
  assert.equal((await row(plain)).metadata["output"], "out");
  const withNote = await row(noted);
  assert.equal(withNote.metadata["note"], undefined);
  assert.equal(withNote.metadata["river:degraded"], "not stored: the database refused the value (constraint)");
  const { state, errors } = await row(failed);
  assert.equal(state, "discarded");
  assert.match(errors[0]?.error ?? "", /^not stored: the database refused the value/);
  assert.equal(errors.length, 1);
  assert.equal(metrics.filter(({ name }) => name === "job_completion_degraded").length, 2);
});

test("JS-83 a row of which even the state cannot be written is dropped alone", async (t) => {
  const { start, insert, states, events, metrics, logs } = await refusing(t, "NEW.id = 3 AND NEW.state <> 'running'");
  await insert(8);
  await start();
  await events.when("job_completed", 7);
  await events.when("job_started", 8);
  assert.deepEqual(states(), { completed: 7, running: 1 });
  assert.deepEqual(metrics, [{ name: "job_completion_dropped", count: 1 }]);
  const dropped = logs.find(({ attributes }) => Array.isArray(attributes["jobIds"]));
  assert.deepEqual(dropped?.attributes["jobIds"], ["3"]);
});

test("JS-85 bisecting goes on while stopping and is no persistent failure", async (t) => {
  const { start, insert, states, events, metrics } = await refusing(
    t,
    "NEW.metadata ->> '$.output' = 'bad' OR (NEW.id = 2 AND NEW.state <> 'running')",
    {
      handler: async ({ job, signal }) => {
        await aborted(signal);
        return complete({ output: job.args["n"] === 6 ? "bad" : "fine" });
      },
    },
  );
  await insert(9);
  const run = await start();
  await events.when("job_started", 9);
  await run.stop({ mode: "cancel" });
  assert.deepEqual(states(), { completed: 8, running: 1 });
  const counts = metrics.map((metric) => ("count" in metric ? `${metric.name} ${metric.count}` : metric.name));
  assert.deepEqual(new Set(counts), new Set(["job_completion_degraded 1", "job_completion_dropped 1"]));
  assert.equal(counts.length, 2);
});

test("JS-82 a transient failure on the way of bisecting goes back to the tries", async (t) => {
  const failures = [databaseError("transient")];
  let settles = 0;
  const { start, insert, states, events } = await refusing(t, "NEW.metadata ->> '$.output' = 'bad'", {
    handler: ({ job }) => complete({ output: job.args["n"] === 0 ? "bad" : "fine" }),
    intercept: (verb, _, proceed) => {
      if (verb === "jobs.settle" && ++settles === 2 && failures.length > 0) throw failures.pop() as Error;
      return proceed();
    },
  });
  await insert(4);
  await start();
  await events.when("job_completed", 4);
  assert.deepEqual(states(), { completed: 4 });
});
