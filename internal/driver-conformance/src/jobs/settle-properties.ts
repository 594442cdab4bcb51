/** Batches of arbitrary settlements against arbitrary rows, by a model; so every way to write a row is the same way. */
import assert from "node:assert/strict";
import { plain } from "@riverqueue/internal-test-kit";
import * as fc from "fast-check";
import { isFinalizedState, JOB_STATES, type JobRecord, type JobState, type Settlement } from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { canonicalJson, canonicalMembers } from "../exact-json.ts";
import { endOf, ERROR, fieldsOf, longAgo } from "../job-values.ts";
import type { Subject } from "../subject.ts";
import { settleModel, type ModelOutcome, type ModelRow, type ModelSettlement } from "./settle-model.ts";

const RUNS = 40;

/** What happened to a row since its claim, and how its attempt ends. */
interface Case {
  readonly since: {
    readonly gone: boolean;
    readonly state: JobState;
    readonly attempt: number;
    readonly otherClient: boolean;
    readonly metadata: Readonly<Record<string, string>>;
  };
  readonly end: Omit<ModelSettlement, "attempt" | "clientId" | "finalizedAt">;
}

function muchLater(): Temporal.Instant {
  return Temporal.Instant.from("2030-01-01T00:00:00Z");
}

const jsonValue: fc.Arbitrary<string> = fc.constantFrom("1", "null", "1.50", '{"a":1}', '{"b":null}', "[]", '"x"');
const metadata = fc.dictionary(fc.constantFrom("a", "b", "we\"ird.'key", "cancel_attempted_at"), jsonValue, {
  maxKeys: 3,
  noNullPrototype: true,
});
const often = <T>(usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 4 }, { arbitrary: others, weight: 1 });

const cases: fc.Arbitrary<Case> = fc.record({
  since: fc.record({
    gone: often(false, fc.constant(true)),
    state: often<JobState>("running", fc.constantFrom(...JOB_STATES)),
    attempt: often(1, fc.constant(2)),
    otherClient: often(false, fc.constant(true)),
    metadata: fc.oneof(fc.constant({}), metadata),
  }),
  end: fc.oneof(
    // The plain ones, for which drivers have a statement of their own.
    fc.record({
      state: fc.constant("completed" as const),
      newAttempt: fc.constant(null),
      scheduledAt: fc.constant(null),
      error: fc.constant(null),
      metadata: fc.constantFrom(null, {}),
      deleteRow: fc.boolean(),
    }),
    fc
      .record({
        state: fc.constantFrom<Settlement["state"]>(
          "available",
          "cancelled",
          "completed",
          "discarded",
          "retryable",
          "scheduled",
        ),
        newAttempt: fc.constantFrom(null, 0),
        scheduledAt: fc.constantFrom(null, muchLater()),
        error: fc.constantFrom(null, ERROR),
        metadata: fc.oneof(fc.constant(null), metadata),
        deleteRow: fc.boolean(),
      })
      .map((end) => ({ ...end, deleteRow: end.deleteRow && end.state === "completed" })),
  ),
});

export function settlePropertyTests(test: ConformanceTest): void {
  test("any batch of settlements does what the model says, row by row", (subject) =>
    fc.assert(
      fc.asyncProperty(fc.array(cases, { minLength: 1, maxLength: 6 }), fc.boolean(), (batch, wantRows) =>
        settlesByTheModel(subject, batch, wantRows),
      ),
      { numRuns: RUNS },
    ));
  test("a completion with nothing to merge is the same as a plain one", sameEitherWay);
}

async function settlesByTheModel(subject: Subject, batch: readonly Case[], wantRows: boolean): Promise<void> {
  const now = Temporal.Instant.from("2026-08-07T10:00:00Z");
  const jobs = await subject.addClaimed(batch.length, "client-1");
  const expected: ModelOutcome[] = [];
  const settlements: Settlement[] = [];
  for (const [index, job] of jobs.entries()) {
    const { since, end } = batch[index] ?? assert.fail();
    await arrange(subject, job, since);
    const finalizedAt = isFinalizedState(end.state) ? longAgo() : null;
    const settlement = { ...end, attempt: 1, clientId: "client-1", finalizedAt };
    const stored = await subject.jobs.get({ id: job.id });
    expected.push(settleModel(stored === null ? null : modelRow(stored), settlement, now));
    settlements.push({ ...settlement, id: job.id, metadata: end.metadata === null ? null : objectText(end.metadata) });
  }
  const settled = await subject.jobs.settle({ settlements, wantRows }, { now });
  for (const [index, { id, outcome, state, job }] of settled.entries()) {
    const { row, ...wanted } = expected[index] ?? assert.fail();
    assert.deepEqual({ id, outcome, state }, { id: jobs[index]?.id, ...wanted });
    const stored = await subject.jobs.get({ id });
    assert.deepEqual(stored && comparable(modelRow(stored)), row && comparable(row));
    if (wantRows && row !== null && outcome !== "superseded") {
      assert.deepEqual(job && comparable(modelRow(job)), comparable(row));
    }
  }
  await subject.raw.query("DELETE FROM river_job");
}

async function arrange(subject: Subject, { id }: JobRecord, since: Case["since"]): Promise<void> {
  if (since.gone) {
    await subject.raw.query(`DELETE FROM river_job WHERE id = ${id}`);
    return;
  }
  const clients = since.otherClient ? ["client-1", "client-2"] : ["client-1"];
  await subject.change(id, {
    state: `'${since.state}'`,
    attempt: String(since.attempt),
    attempted_by: subject.raw.texts(clients),
    metadata: subject.raw.json(objectText(since.metadata)),
    finalized_at: isFinalizedState(since.state) ? subject.raw.time(longAgo()) : "NULL",
  });
}

function objectText(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([key, value]) => `${JSON.stringify(key)}:${value}`)
    .join(",")}}`;
}

function modelRow(job: JobRecord): ModelRow {
  return {
    state: job.state,
    attempt: job.attempt,
    clientId: job.attemptedBy.at(-1) ?? "",
    scheduledAt: job.scheduledAt,
    finalizedAt: job.finalizedAt,
    errors: canonicalMembers(job.errors).map(([, entry]) => entry),
    metadata: Object.fromEntries(canonicalMembers(job.metadata)),
  };
}

/** Without the writing of numbers, in which rows and settlements differ. */
function comparable(row: ModelRow): unknown {
  const members = Object.entries(row.metadata).map(([key, text]) => [key, canonicalJson(text)]);
  return plain({ ...row, errors: row.errors.map(canonicalJson), metadata: Object.fromEntries(members) });
}

async function sameEitherWay(subject: Subject): Promise<void> {
  const finalizedAt = longAgo();
  for (const deleteRow of [false, true]) {
    const [a, b] = await subject.addClaimed(2);
    assert.ok(a && b);
    const one = await subject.settle(endOf(a, { finalizedAt, deleteRow }), true);
    const other = await subject.settle(endOf(b, { finalizedAt, deleteRow, metadata: "{}" }), true);
    assert.deepEqual([one.outcome, one.state], [other.outcome, other.state]);
    assert.ok(one.job && other.job);
    const { id, createdAt, scheduledAt, attemptedAt } = other.job;
    assert.deepEqual(
      plain({ ...fieldsOf(one.job), id, createdAt, scheduledAt, attemptedAt }),
      plain(fieldsOf(other.job)),
    );
  }
}
