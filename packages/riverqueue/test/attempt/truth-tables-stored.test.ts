/** Every row of the truth tables once more, as it is stored by both databases. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { isFinalizedState } from "../../src/model/job-state.ts";
import { FAILURE_TABLES } from "./testdata/failure-tables.ts";
import { CLIENT_ID, START } from "./testdata/attempt-harness.ts";
import {
  type AttemptDatabase,
  attemptsOnPostgres,
  attemptsOnSqlite,
  playStored,
  STAGED,
} from "./testdata/stored-attempt.ts";
import type { TruthTableRow } from "./testdata/truth-table-row.ts";
import { TRUTH_TABLES } from "./testdata/truth-tables.ts";

failOnLeaks();

for (const row of [...TRUTH_TABLES, ...FAILURE_TABLES]) {
  test(`${row.title}, stored on SQLite`, async (t) => holdsStored(row, await attemptsOnSqlite(t)));
  postgresTest(`${row.title}, stored on Postgres`, async (t: TestContext) =>
    holdsStored(row, await attemptsOnPostgres(t)),
  );
}

async function holdsStored(row: TruthTableRow, database: AttemptDatabase): Promise<void> {
  const {
    attempt = 3,
    after: number = attempt,
    error,
    event,
    scheduledIn = null,
    reported = false,
    trace = false,
  } = row;
  const { before, after, event: told, reported: wasReported, now } = await playStored(database, row);
  assert.ok(after);
  assert.equal(before.attempt, attempt);
  assert.equal(after.state, row.state);
  assert.equal(after.attempt, number);
  assert.equal(told, event);
  assert.equal(wasReported, reported);
  const entries = JSON.parse(after.errors ?? "[]") as { at: string; error: string; trace: string; attempt: number }[];
  const texts = error === null ? [] : [error.replace(/\bjob 7\b/, `job ${before.id}`)];
  assert.deepEqual(
    entries.map((entry) => entry.error),
    texts,
  );
  for (const entry of entries) {
    assert.equal(entry.attempt, attempt);
    assert.equal(entry.at, START, "the attempt's start, however long it took");
    assert.equal(entry.trace !== "", trace);
  }
  const finalizedAt = isFinalizedState(row.state) ? now : null;
  assert.equal(after.finalizedAt?.toString() ?? null, finalizedAt?.toString() ?? null);
  const due = scheduledIn === null ? before.scheduledAt : now.add({ milliseconds: scheduledIn * 1_000 });
  assert.equal(after.scheduledAt.toString(), due.toString());
  assert.deepEqual(after.attemptedBy, [CLIENT_ID]);
  // What an attempt staged is merged whatever came of it; where no code of its own ran, there is nothing.
  const { snoozes, cancel_attempted_at: mark, ...metadata } = JSON.parse(after.metadata) as Record<string, unknown>;
  const stages = row.setting !== "unknown kind" && row.setting !== "damaged row";
  assert.deepEqual(metadata, { keep: 1, ...(stages && STAGED) });
  assert.equal(snoozes, event === "job_snoozed" ? 1 : undefined);
  assert.equal(mark !== undefined, row.causes?.includes("cancellation") ?? false);
}
