/** What the end of an attempt makes of a row that is not as it was claimed, on both databases. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import type { Settlement } from "../../src/driver/settle-jobs.ts";
import type { JobRecord } from "../../src/model/job-record.ts";
import { deferred } from "../../src/kit/deferred.ts";
import { cancel, discard, snooze } from "../../src/work/outcome.ts";
import { AttemptHarness, claimed, CLIENT_ID } from "./testdata/attempt-harness.ts";
import {
  type AttemptDatabase,
  attemptsOnPostgres,
  attemptsOnSqlite,
  claimOne,
  playAttempt,
  type PlayedAttempt,
  settleStored,
  STAGED,
} from "./testdata/stored-attempt.ts";
import { genuine, returned, type TruthTableRow } from "./testdata/truth-table-row.ts";

failOnLeaks();

type End = Pick<TruthTableRow, "causes" | "result" | "retryIn"> & { readonly event: string };

/** Ends that keep their state whatever mark there is. */
const FOR_GOOD: Readonly<Record<string, End>> = {
  completed: { result: () => returned(), event: "job_completed" },
  cancelled: { result: () => returned(cancel({ reason: "gone" })), event: "job_cancelled" },
  discarded: { result: () => returned(discard({ reason: "spam" })), event: "job_failed" },
};

/** Ends after which the job would run again. */
const RUNS_AGAIN: Readonly<Record<string, End>> = {
  "a later retry": { result: genuine, event: "job_failed" },
  "a near retry": { result: genuine, retryIn: 1, event: "job_failed" },
  "a later snooze": { result: () => returned(snooze({ minutes: 1 })), event: "job_snoozed" },
  "a near snooze": { result: () => returned(snooze({ seconds: 0 })), event: "job_snoozed" },
  "an interruption": {
    causes: ["shutdown"],
    result: (aborts) => ({ type: "threw", error: aborts.reason, cancel: null }),
    event: "job_interrupted",
  },
};

type Check = (database: AttemptDatabase) => Promise<void>;

function onBoth(title: string, check: Check): void {
  test(`${title}, on SQLite`, async (t) => check(await attemptsOnSqlite(t)));
  postgresTest(`${title}, on Postgres`, async (t: TestContext) => check(await attemptsOnPostgres(t)));
}

for (const [state, end] of Object.entries(FOR_GOOD)) {
  onBoth(`A.5: a row with a cancel mark becomes ${state} as intended`, async (database) => {
    const played = await play(database, end);
    await mark(database, played);
    const { after, event } = await settleStored(database, played);
    assert.deepEqual([after?.state, after?.attempt, event], [state, 3, end.event]);
  });
}

for (const [name, end] of Object.entries(RUNS_AGAIN)) {
  onBoth(`A.5: a row with a cancel mark is cancelled instead of ${name}`, async (database) => {
    const played = await play(database, end);
    await mark(database, played);
    const { before, after, event, now } = await settleStored(database, played);
    assert.ok(after);
    assert.deepEqual([after.state, after.attempt, event], ["cancelled", 3, "job_cancelled"]);
    assert.equal(after.finalizedAt?.toString(), now.toString());
    assert.equal(after.scheduledAt.toString(), before.scheduledAt.toString());
    const errors = JSON.parse(after.errors ?? "[]") as { error: string }[];
    assert.deepEqual(
      errors.map(({ error }) => error),
      end.event === "job_failed" ? ["boom"] : [],
    );
    assert.equal(stagedIn(after.metadata), true);
  });
}

/** States that somebody else may have given the row, and what is told of each. */
const LEFT_FOR = {
  available: null,
  cancelled: "job_cancelled",
  completed: "job_completed",
  discarded: "job_failed",
  retryable: null,
  scheduled: null,
} as const;

for (const [state, told] of Object.entries(LEFT_FOR) as [Settlement["state"], string | null][]) {
  for (const [name, end] of [
    ["completed", FOR_GOOD["completed"]],
    ["a later retry", RUNS_AGAIN["a later retry"]],
  ] as const) {
    onBoth(
      `JS-86: A.5: a row that has become ${state} meanwhile keeps it, and gets what the attempt staged, not ${name}`,
      async (database) => {
        const played = await play(database, end);
        await endElsewhere(database, played, { state });
        const found = await database.jobs.get({ id: played.before.id });
        const { after, event } = await settleStored(database, played);
        assert.ok(found && after);
        assert.equal(stagedIn(found.metadata), false);
        assert.equal(stagedIn(after.metadata), true);
        assert.deepEqual(columns(after, "metadata"), columns(found, "metadata"));
        assert.equal(event, told);
      },
    );
  }
}

for (const [who, claimedBy, newAttempt] of [
  ["another client", "other", null],
  ["another client, under the same number,", "other", 2],
  ["the same client", CLIENT_ID, null],
] as const) {
  for (const [name, end] of [
    ["completed", FOR_GOOD["completed"]],
    ["a later retry", RUNS_AGAIN["a later retry"]],
  ] as const) {
    onBoth(`JS-87 JS-14: A.5: a row that ${who} has claimed since is left alone, not ${name}`, async (database) => {
      const played = await play(database, end);
      await endElsewhere(database, played, { state: "available", newAttempt });
      const call = { now: played.now };
      await database.jobs.claim({ queue: "default", clientId: claimedBy, limit: 1, kinds: null, hint: null }, call);
      const found = await database.jobs.get({ id: played.before.id });
      assert.deepEqual([found?.state, found?.attempt], ["running", newAttempt === null ? 4 : 3]);
      const { after, event } = await settleStored(database, played);
      assert.ok(found && after);
      assert.deepEqual(columns(after), columns(found));
      assert.equal(event, "job_race");
    });
  }
}

onBoth("A.5: a row that was deleted stays so, and nothing is told", async (database) => {
  for (const end of [...Object.values(FOR_GOOD), ...Object.values(RUNS_AGAIN)]) {
    const played = await play(database, end);
    await endElsewhere(database, played, { state: "completed", deleteRow: true });
    const { after, event } = await settleStored(database, played);
    assert.deepEqual([after, event], [null, null]);
  }
});

onBoth(
  "A.3 row 6, A.4 row 7: a handler that never settles leaves its row running, and with a timeout is reported stuck",
  async ({ jobs }) => {
    for (const cause of ["timeout", "shutdown"] as const) {
      const finish = deferred<void>();
      const harness = new AttemptHarness({ jobTimeoutMs: cause === "timeout" ? 60_000 : null }).handle(
        () => finish.promise,
      );
      const before = await claimOne(jobs, 25, () => Promise.resolve());
      const attempt = harness.start(before);
      let ended = false;
      const end = attempt.end.then(() => (ended = true));
      await new Promise(setImmediate);
      if (cause === "shutdown") attempt.interrupt();
      await harness.clock.advance(3_600_000);
      const after = await jobs.get({ id: before.id });
      assert.ok(after);
      assert.deepEqual(columns(after), columns(before));
      assert.deepEqual([after.state, after.attempt, after.errors], ["running", 1, before.errors]);
      assert.equal(ended, false);
      const stuck = harness.events.filter(({ kind }) => kind === "job_stuck");
      assert.equal(stuck.length, cause === "timeout" ? 1 : 0);
      finish.resolve();
      await end;
    }
  },
);

/** Attempt 3 of a job, over and not settled. */
function play(database: AttemptDatabase, end: End | undefined): Promise<PlayedAttempt> {
  assert.ok(end);
  return playAttempt(database, { title: "", state: "running", error: null, ...end });
}

/** Asks to cancel the job, which its attempt does not hear. */
async function mark({ jobs }: AttemptDatabase, { before, now }: PlayedAttempt): Promise<void> {
  await jobs.cancel({ id: before.id, requestedAt: now }, { now });
}

/** Ends the attempt's row in its name before it does. */
async function endElsewhere(
  { jobs }: AttemptDatabase,
  { before, now }: PlayedAttempt,
  end: Pick<Settlement, "state"> & Partial<Settlement>,
): Promise<void> {
  const isFinal = end.state === "cancelled" || end.state === "completed" || end.state === "discarded";
  const settlement: Settlement = {
    id: before.id,
    attempt: before.attempt,
    clientId: CLIENT_ID,
    newAttempt: null,
    finalizedAt: isFinal ? now : null,
    scheduledAt: isFinal ? null : now,
    error: null,
    metadata: null,
    deleteRow: false,
    ...end,
  };
  const [settled] = await jobs.settle({ settlements: [settlement], wantRows: false }, { now });
  assert.equal(settled?.outcome, "settled");
}

function stagedIn(metadata: string): boolean {
  const stored = JSON.parse(metadata) as Record<string, unknown>;
  assert.equal(stored["keep"], 1);
  return Object.entries(STAGED).every(([key, value]) => stored[key] === value);
}

/** The columns, as values that can be compared. */
function columns(record: JobRecord, without?: keyof JobRecord): unknown {
  // A record of a driver reads its columns when asked; one written out has them all.
  const names = Object.keys(claimed()) as (keyof JobRecord)[];
  return plain(Object.fromEntries(names.filter((name) => name !== without).map((name) => [name, record[name]])));
}
