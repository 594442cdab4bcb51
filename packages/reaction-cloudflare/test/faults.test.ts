// Every call that emitting, consuming and sweeping make of store, queue and key-value store is recorded first; then each
// of them goes wrong in each way, and what is left behind must be put right by the sweeper and redeliveries alone.
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { type Emitted, TestWorker } from "./testdata/test-worker.ts";
import type { FaultMode } from "./testdata/worker/recorder.ts";

const startWorker = TestWorker.forFile();
failOnLeaks();

const MODES: readonly FaultMode[] = ["refused", "lost", "down", "crash", "crash-after"];
/** Short, so that what is tried for as long as a lease lasts is over soon. */
const LEASE_MS = 300;
const TWO_HOURS_MS = 7_200_000;

/** What `emit` answers when that call is the one that goes wrong; null while the process is gone. */
type Answers = Readonly<Record<Exclude<FaultMode, "crash" | "crash-after">, string>>;

const WELL: Answers = { refused: "accepted", lost: "accepted", down: "accepted" };
/** By call; one that is missing here fails the test that compares it with what was recorded. */
const EMIT: Readonly<Record<string, Answers>> = {
  "store.createEvent": { ...WELL, down: "abandoned" },
  "store.leaseCommand": WELL,
  "store.settleCommand": WELL,
  "queue.send": { ...WELL, down: "abandoned" },
  "store.markDispatched": WELL,
};
const SWEEP = [
  "store.claimSweeps",
  "queue.send",
  "store.markDispatched",
  "store.applyRetention",
  "keyValue.deleteExpired",
  "analyticsStore.deleteSalts",
];

/** Moves the clock on, as often as it is asked. */
class World {
  readonly worker: TestWorker;
  readonly #lists: boolean;
  #clockMs = 0;

  constructor(worker: TestWorker, lists = false) {
    this.worker = worker;
    this.#lists = lists;
  }

  /** The next invocation has this fault; time has passed. */
  async next(fault: { readonly step: number; readonly mode: FaultMode } | null): Promise<void> {
    this.#clockMs += TWO_HOURS_MS;
    await this.worker.set({ fault, clockMs: this.#clockMs, leaseMs: LEASE_MS, lists: this.#lists });
  }

  async sent(): Promise<readonly unknown[]> {
    return (await this.worker.trace()).sent;
  }

  /** Sweeps, and delivers what is sent, twice and from the back, until nothing is sent any more. */
  async recover(): Promise<void> {
    for (let rounds = 0; rounds < 10; rounds++) {
      await this.next(null);
      await this.worker.sweep();
      const sent = await this.sent();
      if (sent.length === 0) return;
      await Promise.all(
        sent.toReversed().map(async (body) => {
          for (let times = 0; times < 2; times++) await this.worker.deliver(body);
        }),
      );
    }
    assert.fail("ten sweeps have not brought everything to its end");
  }

  /** One event, all commands ended, each effect there once: more attempts than one only where a process has ended. */
  async assertSettled(key: string, mode: FaultMode, step: string): Promise<void> {
    const statuses = await this.worker.statuses(key);
    const inReview = mode === "down" && step === "store.settleCommand";
    assert.ok(statuses.length > 0);
    if (inReview) assert.ok(statuses.includes("needs_review"));
    else assert.deepEqual(new Set(statuses), new Set(["succeeded"]));
    assert.equal(await this.worker.eventStatus(key), inReview ? "dispatched" : "completed");
    const runs = Object.values(await this.worker.runs(key));
    assert.equal(runs.length, statuses.length, "each command has its effect");
    const most = mode.startsWith("crash") ? 2 : 1;
    assert.ok(
      runs.every((count) => count <= most),
      `ran ${runs.join(", ")} times`,
    );
  }
}

/** A call that goes wrong, for an event of its own. */
interface FaultCase {
  readonly fault: { readonly step: number; readonly mode: FaultMode };
  readonly name: string;
  readonly key: string;
  readonly title: string;
}

function faultCases(steps: readonly string[]): FaultCase[] {
  return steps.flatMap((name, step) =>
    MODES.map((mode) => ({
      fault: { step, mode },
      name,
      key: `${step} ${mode}`,
      title: `${step + 1}. ${name}: ${mode}`,
    })),
  );
}

/** Every case is a test; what brings their events to an end afterwards is done once for all of them. */
async function eachCase(
  t: test.TestContext,
  cases: readonly FaultCase[],
  what: string,
  body: (each: FaultCase) => Promise<void>,
): Promise<void> {
  for (const each of cases) await t.test(`${each.title}: ${what}`, () => body(each));
}

test("RX-08, RX-21, RX-22, RX-25, RX-33: a fault at each step of emit leaves what can be put right", async (t) => {
  const world = new World(await startWorker(t));
  const { worker } = world;
  const emit = (key: string): Promise<Emitted> => worker.emit(key, "sync", "async");
  await world.next(null);
  await emit("without");
  const { steps, sent } = await worker.trace();
  assert.deepEqual(steps, Object.keys(EMIT));
  assert.equal(sent.length, 1);

  const unstored: string[] = [];
  const cases = faultCases(steps);
  await eachCase(t, cases, "the answer", async ({ fault, name, key }) => {
    await world.next(fault);
    const result = await emit(key);
    const { alerts, sent: messages } = await worker.trace();
    const status = await worker.eventStatus(key);
    if (fault.mode === "crash" || fault.mode === "crash-after") {
      assert.equal(result.crashed, true);
    } else {
      assert.ok(result.crashed === undefined);
      assert.equal(result.status, EMIT[name]?.[fault.mode]);
      assert.equal(alerts.includes("event_abandoned"), result.status === "abandoned");
      assert.equal(result.event?.id === undefined, status === undefined, "no event is set that is not stored");
      if (result.status === "abandoned" && status !== undefined) assert.equal(status, "undispatched");
      // Anything accepted is on its way: the message is sent, or only a review is left.
      const waits = result.commands.some((command) => ["pending", "retryable", "running"].includes(command.status));
      if (result.status === "accepted" && waits) assert.equal(messages.length > 0, true);
    }
    if (status !== undefined) return;
    unstored.push(key);
    // The same fault has the same outcome.
    assert.equal((await emit(key)).crashed, fault.mode === "crash" ? true : undefined);
  });
  await world.recover();
  // Nothing was accepted of these, so the sender sends again.
  assert.deepEqual(unstored, ["0 down", "0 crash"]);
  await world.next(null);
  for (const key of unstored) {
    const again = await emit(key);
    assert.ok(again.crashed === undefined && again.status !== "abandoned");
  }
  await world.recover();
  await eachCase(t, cases, "the end", ({ fault, name, key }) => world.assertSettled(key, fault.mode, name));
});

test("RX-17, RX-18, RX-20: a fault at each step of consume leaves what can be put right", async (t) => {
  await consumeWithFaults(t, false, ["store.openEvent", "store.leaseCommand", "store.settleCommand"]);
});

test("so does one where the first command is known, and leased as its event is read", async (t) => {
  await consumeWithFaults(t, true, ["store.openEvent", "store.settleCommand", "store.leaseCommand"]);
});

/** `lists`: the processor knows the commands before an event names them. */
async function consumeWithFaults(t: test.TestContext, lists: boolean, calls: readonly string[]): Promise<void> {
  const world = new World(await startWorker(t), lists);
  const { worker } = world;
  const bodies = new Map<string, unknown>();
  const send = async (key: string): Promise<unknown> => {
    await worker.emit(key, "async1", "async2");
    const [body] = await world.sent();
    assert.notEqual(body, undefined);
    bodies.set(key, body);
    return body;
  };
  await world.next(null);
  await worker.deliver(await send("without"));
  const { steps } = await worker.trace();
  assert.deepEqual([...new Set(steps)], calls);

  const cases = faultCases(steps);
  for (const { key } of cases) await send(key);
  await eachCase(t, cases, "the mark", async ({ fault, name, key }) => {
    await world.next(fault);
    const { outcome, explicitAcks } = await worker.deliver(bodies.get(key));
    const crashes = fault.mode.startsWith("crash");
    assert.equal(outcome, crashes ? "exception" : "ok");
    const { alerts, sent } = await worker.trace();
    const open = (await worker.statuses(key)).filter((status) => ["pending", "retryable", "running"].includes(status));
    const reviewed = (await worker.reviewMarks(key)).length;
    if (explicitAcks.length > 0) {
      assert.ok(
        open.length <= reviewed || sent.length > 0,
        "what is left when a message is acknowledged has another one",
      );
    }
    if (fault.mode === "down" && name === "store.settleCommand") {
      assert.ok(alerts.includes("result_unwritten") && alerts.includes("needs_review"));
    }
  });
  // Half of the cases go on by redelivery, the others by the sweeper alone.
  const redelivered = cases.filter(({ fault }) => fault.step % 2 === 0);
  for (let attempts = 2; attempts <= 4; attempts++) {
    await world.next(null);
    await Promise.all(redelivered.map(({ key }) => worker.deliver(bodies.get(key), attempts)));
  }
  await world.recover();
  await eachCase(t, cases, "the end", ({ fault, name, key }) => world.assertSettled(key, fault.mode, name));
}

test("a fault at each step of a sweep leaves the rest to the next one", async (t) => {
  const world = new World(await startWorker(t));
  const { worker } = world;
  /** An event whose sender ended before it could send. */
  const strand = async (key: string): Promise<void> => {
    await world.next({ step: 1, mode: "crash" });
    assert.equal((await worker.emit(key, "async")).crashed, true);
    assert.deepEqual((await worker.trace()).steps, ["store.createEvent", "queue.send"]);
  };
  await strand("without");
  await world.next(null);
  await worker.sweep();
  const { steps } = await worker.trace();
  assert.deepEqual(steps, SWEEP);
  await world.recover();

  const cases = faultCases(steps);
  await eachCase(t, cases, "the pass", async ({ fault, key }) => {
    await strand(key);
    await world.next(fault);
    await worker.sweep();
    const { steps: made, sent } = await worker.trace();
    // What fails does not keep the rest of the pass from being done.
    if (!fault.mode.startsWith("crash")) assert.equal(made.at(-1), "analyticsStore.deleteSalts");
    await world.next(null);
    await Promise.all(sent.map((body) => worker.deliver(body)));
  });
  await world.recover();
  await eachCase(t, cases, "the end", ({ fault, name, key }) => world.assertSettled(key, fault.mode, name));
});
