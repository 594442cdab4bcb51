/** Completing a job, and storing progress, in the application's own transaction. */
import assert from "node:assert/strict";
import test from "node:test";
import { errorOf, metadataOf } from "./testdata/attempt-harness.ts";
import { openAttempts } from "./testdata/sqlite-attempts.ts";

const FINISHED = { name: "JobAttemptFinishedError", code: "job_attempt_finished" };

test("completeTx completes the job when the transaction commits, with what was recorded so far", async (t) => {
  const attempts = await openAttempts(t);
  const { database } = attempts;
  const id = await attempts.insert();
  const end = await attempts.run(async ({ completeTx, setMetadata }) => {
    setMetadata("early", 1);
    database.exec("BEGIN IMMEDIATE");
    const job = await completeTx(database, { output: { done: true } });
    assert.equal(job.state, "completed");
    assert.equal((await attempts.get(id))?.state, "running");
    database.exec("COMMIT");
    assert.equal((await attempts.get(id))?.state, "completed");
    setMetadata("late", 2);
    throw new Error("after the commit");
  });
  assert.equal(end.completedTx?.id, id);
  assert.equal((await attempts.settle(end))?.outcome, "merged");
  const row = await attempts.get(id);
  assert.equal(row?.state, "completed");
  assert.equal(row.errors, "[]");
  assert.deepStrictEqual(JSON.parse(row.metadata), { early: 1, output: { done: true }, late: 2 });
});

test("after a rollback the handler's result counts as usual", async (t) => {
  const attempts = await openAttempts(t);
  const { database } = attempts;
  const id = await attempts.insert();
  const end = await attempts.run(async ({ completeTx }) => {
    database.exec("BEGIN IMMEDIATE");
    await completeTx(database);
    database.exec("ROLLBACK");
    throw new Error("rolled back");
  });
  assert.equal((await attempts.settle(end))?.outcome, "settled");
  const row = await attempts.get(id);
  assert.equal(row?.state, "available");
  assert.match(row.errors, /rolled back/);
});

test("C18: completeTx throws JobAttemptFinishedError when the row is gone, finished or another attempt's", async (t) => {
  const changes = [
    "DELETE FROM river_job",
    "UPDATE river_job SET state = 'cancelled', finalized_at = datetime('now')",
    "UPDATE river_job SET attempt = attempt + 1",
    `UPDATE river_job SET attempted_by = jsonb('["another"]')`,
  ];
  for (const change of changes) {
    await t.test(change, async (sub) => {
      const attempts = await openAttempts(sub);
      const { database } = attempts;
      await attempts.insert();
      const end = await attempts.run(async ({ completeTx }) => {
        database.exec(change);
        database.exec("BEGIN IMMEDIATE");
        await assert.rejects(completeTx(database), FINISHED);
        assert.ok(database.isTransaction, "the transaction stays the application's");
        database.exec("ROLLBACK");
      });
      assert.equal(end.eventKind, "job_completed", errorOf(end)?.error ?? "");
      assert.equal(end.completedTx, null);
    });
  }
});

test("completeTx of a job that is deleted on completion deletes it in the transaction", async (t) => {
  const attempts = await openAttempts(t);
  const { database } = attempts;
  const id = await attempts.insert();
  const end = await attempts.run(
    async ({ completeTx }) => {
      database.exec("BEGIN IMMEDIATE");
      assert.equal((await completeTx(database)).state, "completed");
      database.exec("COMMIT");
    },
    { deleteOnComplete: true },
  );
  assert.equal(await attempts.get(id), null);
  assert.equal(end.completedTx?.state, "completed");
  assert.ok(end.settlement.deleteRow);
  assert.equal((await attempts.settle(end))?.outcome, "missing");
});

test("completeTx refuses unknown options and bad output before it writes", async (t) => {
  const attempts = await openAttempts(t);
  const id = await attempts.insert();
  await attempts.run(async ({ completeTx }) => {
    await assert.rejects(completeTx(attempts.database, { outputs: 1 } as never), {
      name: "ValidationError",
      message: "completeTx options.outputs is not an option; did you mean output?",
    });
    await assert.rejects(completeTx(attempts.database, { output: Number.NaN }), { name: "JsonValueError" });
    await assert.rejects(completeTx(attempts.database), { code: "transaction_scope" });
    await assert.rejects(completeTx(undefined as never), {
      message: "tx of completeTx must be an open transaction, not undefined",
    });
  });
  assert.equal((await attempts.get(id))?.state, "running");
});

test("a committed checkpoint is where the next attempt goes on, and a rollback takes it back", async (t) => {
  for (const [statement, expected] of [
    ["COMMIT", { "river:resumable_step": "copy", "river:resumable_cursor": { copy: 10 } }],
    ["ROLLBACK", {}],
  ] as const) {
    await t.test(statement, async (sub) => {
      const attempts = await openAttempts(sub);
      const { database } = attempts;
      const id = await attempts.insert();
      const end = await attempts.run(async ({ resumable }) => {
        await resumable.stepWithCursor<number>("copy", async () => {
          database.exec("BEGIN IMMEDIATE");
          const job = await resumable.checkpoint({ tx: database, cursor: 10 });
          assert.equal(job.metadata["river:resumable_step"], "copy");
          database.exec(statement);
          throw new Error("later");
        });
      });
      assert.equal(metadataOf(end), null);
      await attempts.settle(end);
      assert.deepStrictEqual(JSON.parse((await attempts.get(id))?.metadata ?? ""), expected);
    });
  }
});

test("a checkpoint throws JobAttemptFinishedError when the attempt does not own its row, and writes nothing", async (t) => {
  const attempts = await openAttempts(t);
  const { database } = attempts;
  const id = await attempts.insert();
  await attempts.run(async ({ resumable }) => {
    database.exec("UPDATE river_job SET attempt = attempt + 1");
    await resumable.step("only", async () => {
      database.exec("BEGIN IMMEDIATE");
      await assert.rejects(resumable.checkpoint({ tx: database }), FINISHED);
      database.exec("COMMIT");
    });
  });
  assert.equal((await attempts.get(id))?.metadata, "{}");
});
