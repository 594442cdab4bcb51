import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { type Emitted, TestWorker } from "./testdata/test-worker.ts";

const startWorker = TestWorker.forFile();
failOnLeaks();

/** An answer of a Worker that lived to give it. */
function answered(emitted: Emitted): Exclude<Emitted, { crashed: true }> {
  assert.ok(emitted.crashed === undefined);
  return emitted;
}

test("C30, RX-15, RX-23: of fifty requests at once that emit one event one is accepted, and its commands run once", async (t) => {
  const worker = await startWorker(t);
  await worker.set({ shared: true });
  const results = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      // Five have another payload: their command would have another input.
      const tasks = index % 10 === 7 ? [{ name: "sync" }, { name: "async", does: "ok" as const }] : ["sync", "async"];
      return { isOdd: index % 10 === 7, result: answered(await worker.emit("k", ...tasks)) };
    }),
  );
  const accepted = results.filter(({ result }) => result.status === "accepted");
  assert.equal(accepted.length, 1);
  assert.equal(results.filter(({ result }) => result.status === "duplicate").length, 49);
  const ids = results.map(({ result }) =>
    [result.event?.id, ...result.commands.map(({ executionId }) => executionId)].join(),
  );
  assert.equal(new Set(ids).size, 1, "all have the same records");
  const keptOdd = accepted[0]?.isOdd;
  for (const { isOdd, result } of results) assert.equal(result.payloadMismatch, isOdd === keptOdd ? undefined : true);
  assert.deepEqual(await worker.runs("k"), { sync: 1 });
  const { sent } = await worker.trace();
  assert.equal(sent.length, 1);

  // The message comes twice at once, and once more much later.
  await Promise.all([worker.deliver(sent[0]), worker.deliver(sent[0])]);
  const late = await worker.deliver(sent[0], 4);
  assert.deepEqual(late.explicitAcks, ["m0"]);
  assert.deepEqual(await worker.runs("k"), { sync: 1, async: 1 });
  assert.deepEqual(await worker.statuses("k"), ["succeeded", "succeeded"]);
  assert.equal((await worker.rows("select id from river_reaction_event")).length, 1);
});

test("C30: a sender that ends between its records and its message is made up for by the next emit or the sweep", async (t) => {
  const worker = await startWorker(t);
  for (const [key, helper] of Object.entries({ swept: "sweep", repeated: "emit" })) {
    await worker.set({ fault: { step: 3, mode: "crash" } });
    assert.equal((await worker.emit(key, "sync", "async")).crashed, true);
    assert.equal((await worker.trace()).steps.at(-1), "queue.send");
    assert.deepEqual(await worker.statuses(key), ["succeeded", "pending"]);
    await worker.set({ clockMs: 120_000 });
    if (helper === "emit") {
      const again = answered(await worker.emit(key, "sync", "async"));
      assert.deepEqual(
        [again.status, again.commands.map(({ status }) => status)],
        ["duplicate", ["succeeded", "pending"]],
      );
    }
    await worker.sweep();
    const { sent } = await worker.trace();
    assert.equal(sent.length, 1);
    await worker.deliver(sent[0]);
    assert.deepEqual(await worker.runs(key), { sync: 1, async: 1 });
  }
});

test("C30, RX-21: a success that D1 does not take is alerted, marked in KV, and never run again", async (t) => {
  const worker = await startWorker(t);
  await worker.set({ leaseMs: 300 });
  await worker.emit("k", "async");
  const [body] = (await worker.trace()).sent;
  await worker.set({ leaseMs: 300, fault: { step: 2, mode: "down" } });
  const { explicitAcks } = await worker.deliver(body);
  assert.deepEqual(explicitAcks, ["m0"]);
  const { steps, alerts } = await worker.trace();
  assert.ok(steps.filter((step) => step === "store.settleCommand").length > 1, "it is tried while the lease lasts");
  assert.ok(alerts.includes("result_unwritten") && alerts.includes("needs_review"));
  const [command] = await worker.commands("k");
  assert.equal(command?.status, "running");
  assert.deepEqual(await worker.kvKeys("reaction/review/"), [`reaction/review/${command?.id}`]);

  await worker.set({ clockMs: 7_200_000 });
  await worker.sweep();
  const [again] = (await worker.trace()).sent;
  await worker.deliver(again);
  assert.deepEqual(await worker.statuses("k"), ["needs_review"]);
  assert.deepEqual(await worker.runs("k"), { async: 1 });
});

test("RX-18: a lease is taken over while its first holder still runs, whose late result is refused", async (t) => {
  const worker = await startWorker(t);
  const first = worker.emit("k", { name: "sync", does: "wait" });
  await pollUntil(async () => (await worker.runs("k"))["sync"] === 1);
  const [event] = await worker.rows("select id from river_reaction_event");
  const body = { event: event?.["id"] };

  // Meanwhile a delivery finds the lease alive, and comes back after it.
  const early = await worker.deliver(body);
  assert.equal(early.retryMessages.length, 1);
  assert.ok((early.retryMessages[0]?.delaySeconds ?? 0) > 30);

  await worker.set({ clockMs: 120_000 });
  assert.deepEqual((await worker.deliver(body, 2)).explicitAcks, ["m0"]);
  const [won] = await worker.commands("k");
  assert.deepEqual([won?.status, won?.attempt], ["succeeded", 2]);

  await worker.release();
  assert.equal(answered(await first).status, "accepted");
  assert.deepEqual(await worker.commands("k"), [won]);
  assert.deepEqual(await worker.runs("k"), { sync: 2 });
  const alerts = await worker.rows("select code from river_reaction_alert where code = 'lease_lost'");
  assert.equal(alerts.length, 1);
});

test("RX-11, RX-12, RX-24: failures are in the result, and an event that causes nothing leaves nothing", async (t) => {
  const worker = await startWorker(t);
  const failed = answered(await worker.emit("failed", { name: "sync", does: "fail" }));
  assert.equal(failed.status, "accepted");
  assert.deepEqual(failed.commands[0]?.error, { code: "no", message: "it failed" });
  const thrown = answered(await worker.emit("thrown", { name: "sync", does: "throw" }));
  assert.deepEqual([thrown.status, thrown.commands[0]?.status], ["accepted", "failed"]);
  const ignored = answered(await worker.emit("ignored"));
  assert.deepEqual([ignored.status, ignored.event], ["ignored", null]);
  assert.equal(await worker.eventStatus("ignored"), undefined);
});

test("events with many commands, and with as large a payload as is allowed, fit into D1", async (t) => {
  const worker = await startWorker(t);
  const many = answered(await worker.emit("many", ...Array<string>(120).fill("async")));
  assert.deepEqual([many.status, many.commands.length], ["accepted", 120]);
  // Four bytes a character, and 40 for what is around them.
  const largest = "😀".repeat(24_990);
  const event = { tasks: [{ name: largest }, { name: "async" }] };
  assert.equal(Buffer.byteLength(JSON.stringify(event)), 100_000);
  const large = answered(await worker.emit("large", largest, "async"));
  assert.deepEqual([large.status, large.commands.length], ["accepted", 1]);
  const [body] = (await worker.trace()).sent;
  assert.deepEqual((await worker.deliver(body)).explicitAcks, ["m0"]);
  assert.equal(await worker.eventStatus("large"), "completed");
});

test("of sweeps at the same time one sends for an event", async (t) => {
  const worker = await startWorker(t);
  await worker.set({ fault: { step: 1, mode: "crash" } });
  assert.equal((await worker.emit("k", "async")).crashed, true);
  await worker.set({ shared: true, clockMs: 120_000 });
  await Promise.all(Array.from({ length: 5 }, () => worker.sweep()));
  assert.equal((await worker.trace()).sent.length, 1);
});
