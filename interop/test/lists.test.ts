/** Lists and their cursors, handed from one side to the other page by page. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { interopTest } from "../src/interop-test.ts";
import type { Peer } from "../src/peer.ts";
import { DIRECTIONS, type ListSpec, type PeerPage } from "../src/peer-values.ts";

failOnLeaks();

const ORDERS: readonly ListSpec[] = [
  {},
  { orderBy: "id" },
  { orderBy: "scheduled_at" },
  { orderBy: "scheduled_at", states: ["scheduled", "available", "completed"] },
  { orderBy: "finalized_at", states: ["completed"] },
  { orderBy: "finalized_at", states: ["completed", "cancelled", "discarded"] },
  { orderBy: "time", states: ["completed"] },
  { orderBy: "time", states: ["available"] },
  { orderBy: "time", states: ["running"] },
  { orderBy: "time", states: ["scheduled", "pending"] },
  { orderBy: "time", states: ["completed", "available", "running"] },
  { orderBy: "time", states: ["running", "completed"] },
  { orderBy: "time", states: ["available", "completed", "running"] },
];

const FILTERS: readonly ListSpec[] = [
  { kinds: ["kind_1", "kind_2"] },
  { priorities: [1, 4] },
  { queues: ["q-1"] },
  { states: ["pending", "running"] },
  { tagsAll: ["even", "all"] },
  { tagsAny: ["even", "third"] },
  { ids: [2, 3, 5, 999] },
  { kinds: ["kind_1"], queues: ["q-1"], states: ["completed"], tagsAny: ["all"], limit: 2 },
];

/** Forty jobs in every state, many of them at the same moment. */
async function insertJobs(peer: Peer, query: (sql: string) => Promise<unknown>): Promise<void> {
  const jobs = Array.from({ length: 40 }, (_, n) => ({
    kind: `kind_${n % 3}`,
    priority: (n % 4) + 1,
    queue: `q-${n % 2}`,
    tags: ["all", ...(n % 2 === 0 ? ["even"] : []), ...(n % 3 === 0 ? ["third"] : [])],
    metadata: { n: n % 5, deep: { list: [n % 2, "x"] } },
    ...(n % 8 === 0 && { scheduledAt: `2031-01-0${(n % 3) + 1}T00:00:00.5Z` }),
    ...(n % 8 === 1 && { pending: true }),
  }));
  await peer.insertMany(jobs);
  for (const [remainder, state] of [
    [2, "completed"],
    [3, "completed"],
    [4, "cancelled"],
    [5, "discarded"],
    [6, "running"],
  ] as const) {
    const column = state === "running" ? "attempted_at" : "finalized_at";
    for (const part of [0, 1]) {
      const at = `'2026-01-0${part + 1} 00:00:00.${remainder}00'`;
      await query(
        `UPDATE river_job SET state = '${state}', ${column} = ${at} WHERE id % 8 = ${remainder} AND id % 3 ${part === 0 ? "=" : "<>"} 0`,
      );
    }
  }
}

async function pages(
  first: Peer,
  second: Peer,
  spec: ListSpec,
): Promise<{ ids: string[]; cursors: (string | null)[] }> {
  const ids: string[] = [];
  const cursors: (string | null)[] = [];
  let after: string | null = null;
  for (let turn = 0; ; turn++) {
    const page: PeerPage = await (turn % 2 === 0 ? first : second).list({
      ...spec,
      limit: 3,
      ...(after !== null && { after }),
    });
    ids.push(...page.jobs.map(({ id }) => id));
    if (page.jobs.length < 3) return { ids, cursors };
    cursors.push(page.nextCursor);
    after = page.nextCursor;
  }
}

for (const [from, to] of DIRECTIONS) {
  interopTest(`${from} and ${to} read lists in turns, each from the other's cursor`, async (_, { peer, query }) => {
    const [first, second] = [await peer(from), await peer(to)];
    await Promise.all([first.open(), second.open()]);
    await insertJobs(first, query);
    for (const order of ORDERS) {
      for (const descending of [false, true]) {
        const spec = { ...order, descending };
        const label = JSON.stringify(spec);
        const whole = (await first.list({ ...spec, limit: 1_000 })).jobs.map(({ id }) => id);
        const inTurns = await pages(first, second, spec);
        const alone = await pages(second, second, spec);
        assert(whole.length > 3, label);
        assert.deepEqual(inTurns.ids, whole, label);
        assert.deepEqual(alone.ids, whole, label);
        assert.deepEqual(inTurns.cursors, alone.cursors, `${label}: the same text of cursors`);
      }
    }
  });
}

interopTest("both sides filter alike", async (_, { peer, query, backend }) => {
  const [ours, go] = [await peer("ours"), await peer("go")];
  await Promise.all([ours.open(), go.open()]);
  await insertJobs(go, query);
  const metadata: ListSpec[] = [{ metadata: '{"n": 2}' }, { metadata: '{"deep": {"list": [1]}}' }];
  for (const filter of [...FILTERS, ...(backend === "postgres" ? metadata : [])]) {
    const [mine, theirs] = [await ours.list(filter), await go.list(filter)];
    const label = JSON.stringify(filter);
    assert(mine.jobs.length > 0, label);
    assert.deepEqual(
      mine.jobs.map(({ id }) => id),
      theirs.jobs.map(({ id }) => id),
      label,
    );
  }
});

interopTest("C5 a cursor in the letters of either base 64 is read by both", async (_, { peer, query }) => {
  const [ours, go] = [await peer("ours"), await peer("go")];
  await Promise.all([ours.open(), go.open()]);
  await go.insertMany(Array.from({ length: 3 }, () => ({ kind: "task" })));
  await query("UPDATE river_job SET kind = 'abc~~~???'");
  const page = { orderBy: "id", limit: 1 } as const;
  const cursors = [(await ours.list(page)).nextCursor ?? "", (await go.list(page)).nextCursor ?? ""];
  assert.equal(cursors[0], cursors[1]);
  assert.match(cursors[0] ?? "", /-.*_/);
  for (const side of [ours, go]) {
    assert.deepEqual(
      (await side.list({ ...page, after: cursors[0] ?? "" })).jobs.map(({ id }) => id),
      ["2"],
      side.side,
    );
  }
});
