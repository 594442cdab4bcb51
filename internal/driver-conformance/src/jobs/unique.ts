/** Unique keys: who holds one, and what an insertion against the holder is answered with. */
import assert from "node:assert/strict";
import { plain } from "@riverqueue/internal-test-kit";
import { isFinalizedState, JOB_STATES } from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { sameJson } from "../exact-json.ts";
import { endOf, longAgo, MASK, newJob, unique } from "../job-values.ts";
import { only } from "../only.ts";
import type { Subject } from "../subject.ts";

export function uniqueTests(test: ConformanceTest): void {
  test("a duplicate is answered with the row that holds the key, which stays as it is", answersWithTheHolder);
  test("a row holds its key in exactly the states of its mask", holdsByMask);
  test("a row without a mask holds no key", needsAMask);
  test("a key is free once its holder has ended or is gone", freesKeys);
  test("C07 1,000 jobs of which half hold keys already", insertsAmongHolders);
  test("many insertions of one key at once make one row", makesOneRow);
  test("an insertion that is rolled back leaves its key free", rollsBack);
}

async function answersWithTheHolder(subject: Subject): Promise<void> {
  const holder = await subject.addOne({ ...unique(1, MASK.default), kind: "first", metadata: '{"a":1}', tags: ["t"] });
  const row = async (): Promise<unknown> =>
    plain(only(await subject.raw.query(`SELECT * FROM river_job WHERE id = ${holder.id}`)));
  const before = await row();
  const jobs = [
    newJob({ args: '{"n":1}' }),
    newJob({ ...unique(1, MASK.required), kind: "second", metadata: '{"b":2}', priority: 4, queue: "other" }),
    newJob({ args: '{"n":2}' }),
  ];
  const results = await subject.jobs.insert({ jobs, notices: [], durability: "default" });
  assert.deepEqual(
    results.map(({ duplicate, job }) => [duplicate, job.kind]),
    [
      [false, "noop"],
      [true, "first"],
      [false, "noop"],
    ],
  );
  const [first, duplicate, last] = results.map(({ job }) => job);
  assert.ok(first && duplicate && last);
  assert.equal(duplicate.id, holder.id);
  assert.deepEqual([duplicate.priority, duplicate.queue, duplicate.uniqueStates], [1, "default", MASK.default]);
  sameJson(duplicate.metadata, '{"a":1}');
  sameJson(first.args, '{"n":1}');
  sameJson(last.args, '{"n":2}');
  assert.deepEqual(await row(), before);
}

async function holdsByMask(subject: Subject): Promise<void> {
  for (const [bit, state] of JOB_STATES.entries()) {
    for (const mask of [1 << bit, 255 ^ (1 << bit)]) {
      const seed = bit * 1_000 + mask;
      const holder = await subject.addOne(unique(seed, mask));
      const finalizedAt = isFinalizedState(state) ? subject.raw.time(longAgo()) : "NULL";
      await subject.change(holder.id, { state: `'${state}'`, finalized_at: finalizedAt });
      const jobs = [newJob(unique(seed, MASK.every))];
      const { duplicate, job } = only(await subject.jobs.insert({ jobs, notices: [], durability: "default" }));
      assert.equal(duplicate, mask === 1 << bit, `${state}, mask ${mask}`);
      assert.equal(job.id === holder.id, duplicate);
    }
  }
}

async function needsAMask(subject: Subject): Promise<void> {
  const key = unique(1, MASK.required);
  const { id } = await subject.addOne(key);
  await subject.change(id, { unique_states: "NULL" });
  const next = await subject.addOne(key);
  assert.notEqual(next.id, id);
  assert.equal((await subject.addOne(key)).id, next.id);
  assert.equal((await subject.read(id)).uniqueStates, null);
}

async function freesKeys(subject: Subject): Promise<void> {
  const key = unique(1, MASK.required);
  const ids = [(await subject.addOne(key)).id];
  await subject.settle(endOf(await subject.claimOne()));
  ids.push((await subject.addOne(key)).id);
  await subject.settle(endOf(await subject.claimOne(), { deleteRow: true }));
  ids.push((await subject.addOne(key)).id);
  await subject.jobs.delete({ id: ids[2] ?? 0n });
  ids.push((await subject.addOne(key)).id);
  assert.equal((await subject.addOne(key)).id, ids[3]);
  assert.equal(new Set([ids[0], ids[1]]).size + new Set([ids[2], ids[3]]).size, 4);
  assert.equal(await subject.countJobs(), 2);
}

async function insertsAmongHolders(subject: Subject): Promise<void> {
  const jobs = Array.from({ length: 1_000 }, (_, index) =>
    newJob({ ...unique(index, MASK.default), kind: `k${index}` }),
  );
  const even = jobs.filter((_, index) => index % 2 === 0);
  const held = await subject.jobs.insert({ jobs: even, notices: [], durability: "default" });
  const all = await subject.jobs.insert({ jobs, notices: [], durability: "default" });
  assert.ok(all.every(({ duplicate }, index) => duplicate === (index % 2 === 0)));
  assert.ok(all.every(({ job }, index) => job.kind === `k${index}`));
  assert.ok(held.every(({ job }, index) => job.id === all[index * 2]?.job.id));
  assert.equal(await subject.countJobs(), 1_000);
}

async function makesOneRow(subject: Subject): Promise<void> {
  const insertOnce = (index: number): ReturnType<Subject["jobs"]["insert"]> =>
    subject.jobs.insert({
      jobs: [newJob({ ...unique(1, MASK.default), kind: `k${index}` })],
      notices: [],
      durability: "default",
    });
  const results = (await Promise.all(Array.from({ length: 20 }, (_, index) => insertOnce(index)))).flat();
  assert.equal(results.filter(({ duplicate }) => !duplicate).length, 1);
  assert.equal(new Set(results.map(({ job }) => `${job.id} ${job.kind}`)).size, 1);
}

async function rollsBack(subject: Subject): Promise<void> {
  const transaction = await subject.begin();
  const params = { jobs: [newJob(unique(1, MASK.default))], notices: [], durability: "default" } as const;
  const { scope } = transaction;
  assert.equal(only(await subject.jobs.insert(params, { scope })).duplicate, false);
  assert.equal(only(await subject.jobs.insert(params, { scope })).duplicate, true);
  await transaction.rollback();
  assert.equal(only(await subject.jobs.insert(params)).duplicate, false);
}
