/** A thread dies at each message of the protocol in turn, before and after it. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { BroadcastChannel } from "node:worker_threads";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { WorkerThreadHandlerError } from "../src/index.ts";
import { ManagedWorkerThreads } from "../src/managed/index.ts";
import type { FromThread, ToThread } from "../src/protocol/messages.ts";
import { crashers, type ExecutorUnderTest, type Started, task, underTest } from "./testdata/attempts.ts";
import { type Death, WORDS } from "./testdata/crashers.ts";

failOnLeaks();

/** How a thread is brought to a message, and what becomes of the attempts then. */
interface Scenario {
  /** What the handler does whose thread dies. */
  readonly handler: Death["handler"];
  /** What leads to the message when the handler runs or, with one that returns, when its thread has nothing to do. */
  readonly lead?: (pool: Pool, dying: Started) => PromiseLike<unknown>;
  /** What the attempt of that handler ends with when the thread dies before the message, and after it. */
  readonly ends: readonly [before: RegExp | null, after: RegExp | null];
  /** The same for the attempt that `lead` has started. It may be both when both can happen. */
  readonly nextEnds?: readonly [before: readonly (RegExp | null)[], after: readonly (RegExp | null)[]];
  readonly recycle?: { readonly afterJobs: number };
}

type Pool = ExecutorUnderTest<ManagedWorkerThreads>;
/** The message that the threads of programs in `processes.test.ts` die at, because it comes before any handler. */
type Elsewhere = "ready";

const EXITED = /exited with code 9/;
const alone: Scenario = { handler: "return", ends: [EXITED, EXITED] };
const large = { rawArgs: { text: "x".repeat(10_000) } };
const startAnother =
  (changes: object) =>
  async ({ start }: Pool) =>
    start("nothing", changes, crashers);

/** The compiler sees to it that no message is missing. */
const SCENARIOS: Readonly<Record<Exclude<FromThread[0] | ToThread[0], Elsewhere>, Scenario>> = {
  log: alone,
  output: alone,
  metadata: alone,
  insert: { ...alone, handler: "insert" },
  inserted: { ...alone, handler: "insert" },
  done: { handler: "return", ends: [EXITED, null] },
  failed: { handler: "fail", ends: [EXITED, /^before the end$/] },
  died: { handler: "fail later", ends: [EXITED, /^thrown later$/] },
  stray: { handler: "leave behind", ends: [null, null] },
  leaving: { handler: "return", ends: [null, null], recycle: { afterJobs: 1 } },
  abort: { handler: "wait", ends: [EXITED, EXITED], lead: async (_, dying) => void dying.abort() },
  look: {
    handler: "return",
    ends: [null, null],
    lead: startAnother({}),
    nextEnds: [[null], [null]],
  },
  fetch: {
    handler: "return",
    ends: [null, null],
    lead: startAnother(large),
    // Whoever hears of the death only after the handing cannot know that nothing has run.
    nextEnds: [[null], [null, EXITED]],
  },
  task: {
    handler: "return",
    ends: [null, null],
    lead: startAnother(large),
    nextEnds: [[EXITED], [null]],
  },
};

function poolOf(t: TestContext, { recycle }: Scenario): Pool {
  return underTest(t, new ManagedWorkerThreads({ maxThreads: 2, inserts: [task], recycle }));
}

function assertEnd(end: unknown, expected: readonly (RegExp | null)[]): void {
  if (end instanceof Error) {
    assert.ok(end instanceof WorkerThreadHandlerError);
    assert.ok(
      expected.some((pattern) => pattern?.test(end.message) === true),
      end.message,
    );
  } else {
    assert.equal(end, undefined);
    assert.ok(expected.includes(null), "the attempt should have failed");
  }
}

/** Waits until the thread has got as far as the handler brings it. */
function said({ sent }: Started, message: string): Promise<unknown> {
  return pollUntil(() => sent.logs.some((entry) => entry.message === message));
}

function tellNeighbours(): void {
  const channel = new BroadcastChannel(WORDS);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows of a browser
  channel.postMessage("go on");
  channel.close();
}

for (const [message, scenario] of Object.entries(SCENARIOS)) {
  for (const after of [false, true]) {
    test(`WT-50 C29 a thread that dies ${after ? "after" : "before"} the message "${message}" fails at most its own attempt`, async (t) => {
      const pool = poolOf(t, scenario);
      const neighbour = pool.start("waitForWord", {}, crashers);
      await said(neighbour, "listening");
      const { handler, lead, ends, nextEnds } = scenario;
      const dying = pool.start("dieAtMessage", { rawArgs: { message, after, handler } }, crashers);
      if (lead !== undefined) await said(dying, handler === "return" ? "idle" : "about to die");
      const next = await lead?.(pool, dying);
      const last = pool.start("nothing", {}, crashers);
      assertEnd(await dying.end, [ends[after ? 1 : 0]]);
      if (nextEnds !== undefined) assertEnd(await (next as Started).end, nextEnds[after ? 1 : 0]);
      assert.equal(await last.end, undefined);
      // When the client has asked for the end by the time that it comes, it was no crash.
      if (message !== "leaving" || !after) await pollUntil(() => pool.executor.diagnostics().crashedThreads === 1);
      assert.ok(pool.executor.diagnostics().totalThreads <= 2);
      tellNeighbours();
      assert.equal(await neighbour.end, undefined);
    });
  }
}
