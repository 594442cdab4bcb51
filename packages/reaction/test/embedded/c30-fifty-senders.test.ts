import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks, type SpawnedNode, spawnNode } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { createReaction, type EmittedCommand } from "@riverqueue/reaction";
import { deliver } from "../testdata/deliver.ts";
import { type OpenHome, openPostgresHome, openSqliteHome } from "../testdata/open-home.ts";
import { orderCommands, orderPolicy, type Work } from "../testdata/order-paid.ts";
import { testCtx } from "../testdata/test-ctx.ts";

failOnLeaks();

interface Answer {
  readonly status: string;
  readonly eventId: string;
  readonly payload: { readonly orderId: string };
  readonly commands: readonly EmittedCommand[];
  readonly payloadMismatch: boolean;
}

const CREATE = "create table effects (execution_id text, name text)";
const EFFECTS = "select execution_id, name from effects order by name";
/** Keys of events that are emitted once, so that there are several messages to get out of order. */
const OTHERS = ["order-paid:2", "order-paid:3", "order-paid:4"];
const SENDER = new URL("../testdata/sender.ts", import.meta.url);

async function startSenders(
  t: TestContext,
  count: number,
  backend: string,
  opened: OpenHome<unknown>,
): Promise<SpawnedNode[]> {
  await opened.rows(CREATE);
  const all = Array.from({ length: count }, () => spawnNode(t, SENDER, [backend, opened.address]));
  await Promise.all(all.map((sender) => sender.next((message) => message === "ready")));
  return all;
}

/** Emits `total` times at once, five of them with another payload. */
async function emitAll(senders: readonly SpawnedNode[], total: number, key: string): Promise<Answer[]> {
  const share = Math.ceil(total / senders.length);
  senders.forEach((sender, index) => {
    const count = Math.min(share, total - index * share);
    sender.send({ count, different: index === senders.length - 1 ? 5 : 0, key, die: false });
  });
  return (await Promise.all(senders.map((sender) => sender.next<Answer[]>(Array.isArray)))).flat();
}

/** A process that works what is queued: every message twice, in order and the other way round at the same time. */
async function workTwice(opened: OpenHome<unknown>, now: () => Date, messages: number): Promise<void> {
  const effect =
    (name: string): Work =>
    async ({ executionId }) =>
      void (await opened.rows(`insert into effects (execution_id, name) values ('${executionId}', '${name}')`));
  const { grant, send } = orderCommands({ grant: effect("grant_role"), send: effect("send_receipt") });
  const reaction = createReaction({ policies: [orderPolicy(grant, send)], ...(opened.home.parts as object) } as never);
  await reaction.processor.sweep(testCtx({ entry: "scheduled", now }));
  const args = opened.address.startsWith("postgres") ? "args" : "json(args) as args";
  const jobs = await opened.rows(`select id, ${args} from river_job order by id`);
  const bodies = jobs.map(bodyOf);
  assert.ok(bodies.length >= messages);
  const ctx = testCtx({ entry: "queue", now });
  const inTurn = async (order: readonly unknown[]): Promise<void> => {
    for (const body of order) await deliver(reaction.consume, ctx, { body });
  };
  await Promise.all([inTurn(bodies), inTurn(bodies.toReversed())]);
}

/** Both effects of each of so many events, once. */
async function assertEffects(opened: OpenHome<unknown>, events: number): Promise<void> {
  const effects = await opened.rows(EFFECTS);
  assert.deepEqual(
    effects.map(({ name }) => name),
    [...Array<string>(events).fill("grant_role"), ...Array<string>(events).fill("send_receipt")],
  );
  assert.equal(new Set(effects.map(({ execution_id: id }) => id)).size, 2 * events);
}

function bodyOf({ args }: Record<string, unknown>): unknown {
  return ((typeof args === "string" ? JSON.parse(args) : args) as { readonly body: unknown }).body;
}

async function fiftySenders(
  t: TestContext,
  backend: string,
  processes: number,
  opened: OpenHome<unknown>,
): Promise<void> {
  const all = await startSenders(t, processes, backend, opened);
  const answers = await emitAll(all, 50, "order-paid:1");
  const accepted = answers.filter(({ status }) => status === "accepted");
  const duplicates = answers.filter(({ status }) => status === "duplicate");
  assert.deepEqual([accepted.length, duplicates.length], [1, 49]);
  assert.equal(new Set(answers.map(({ eventId }) => eventId)).size, 1);
  assert.equal(new Set(answers.flatMap(({ commands }) => commands.map(({ executionId }) => executionId))).size, 2);
  const kept = accepted[0]?.payload.orderId;
  const wrong = answers.filter(({ payload, payloadMismatch }) => payload.orderId !== kept || payloadMismatch);
  assert.ok(wrong.length >= 5 && wrong.every(({ payload }) => payload.orderId === kept), "another payload is flagged");
  for (const key of OTHERS) assert.equal((await emitAll(all.slice(0, 1), 1, key))[0]?.status, "accepted");
  await workTwice(opened, () => new Date(), 1 + OTHERS.length);
  await assertEffects(opened, 1 + OTHERS.length);
  const statuses = await opened.rows("select status from river_reaction_event");
  assert.deepEqual(
    statuses.map(({ status }) => status),
    Array(1 + OTHERS.length).fill("completed"),
  );
  for (const sender of all) sender.endInput();
  await Promise.all(all.map((sender) => sender.exit()));
}

async function killedSender(t: TestContext, backend: string, open: Open): Promise<void> {
  let at = Date.now();
  const opened = await open(t, { now: () => new Date(at) });
  const [first, second] = await startSenders(t, 2, backend, opened);
  first?.send({ count: 1, different: 0, key: "order-paid:1", die: true });
  assert.equal((await first?.exit())?.signal, "SIGKILL");
  assert.equal((await opened.rows("select 1 from river_job")).length, 0, "there are records and no message");
  const [again] = await emitAll(second === undefined ? [] : [second], 1, "order-paid:1");
  assert.equal(again?.status, "duplicate");
  const others = [];
  for (const key of OTHERS) others.push(...(await emitAll(second === undefined ? [] : [second], 1, key)));
  at += 3_600_000;
  await workTwice(opened, () => new Date(at), 1 + OTHERS.length);
  await assertEffects(opened, 1 + OTHERS.length);
  const expected = [again, ...others].flatMap((answer) => answer?.commands ?? []);
  const effects = await opened.rows(EFFECTS);
  assert.deepEqual(
    effects.map(({ execution_id: id }) => String(id)).toSorted(),
    expected.map(({ executionId }) => executionId).toSorted(),
  );
  second?.endInput();
  await second?.exit();
}

type Open = (t: TestContext, options?: { readonly now?: () => Date }) => Promise<OpenHome<unknown>>;

test("C30 fifty emits of one key from two processes on SQLite are one event with one set of commands", async (t) => {
  await fiftySenders(t, "sqlite", 2, await openSqliteHome(t));
});

postgresTest(
  "C30 fifty emits of one key from four processes on Postgres are one event with one set of commands",
  async (t) => {
    await fiftySenders(t, "postgres", 4, await openPostgresHome(t));
  },
);

test("C30 a sender killed between records and message on SQLite loses and doubles nothing", async (t) => {
  await killedSender(t, "sqlite", openSqliteHome);
});

postgresTest("C30 a sender killed between records and message on Postgres loses and doubles nothing", async (t) => {
  await killedSender(t, "postgres", openPostgresHome);
});
