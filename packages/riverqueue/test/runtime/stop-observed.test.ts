/** A stop that is asked for by those who are told, in the midst of what they are told about. */
import assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import test, { type TestContext } from "node:test";
import { failOnLeaks, pollUntil, withDeadline } from "@riverqueue/internal-test-kit";
import type { RunHandle } from "../../src/api/run-handle.ts";
import type { RiverEvent } from "../../src/model/river-event.ts";
import { clientOnSqlite } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

function whenTold(t: TestContext, kind: RiverEvent["kind"], act: () => void): void {
  const listener = (message: unknown): void => {
    if ((message as RiverEvent).kind === kind) act();
  };
  diagnostics.subscribe("riverqueue:event", listener);
  t.after(() => diagnostics.unsubscribe("riverqueue:event", listener));
}

for (const by of ["the channel of events", "the logger"]) {
  test(`JS-10 a stop asked for by ${by}, when the lead is given up for a stop, is the one under way`, async (t) => {
    const started: RunHandle[] = [];
    const said: string[] = [];
    const stop = (): void => started.forEach((run) => void run.stop());
    const log = (_: unknown, message: string): void => {
      said.push(message);
      if (by === "the logger" && message === "no longer leader") stop();
    };
    const { start } = await clientOnSqlite(t, { client: { logger: { debug: log, info: log, warn: log, error: log } } });
    if (by !== "the logger") whenTold(t, "leader_lost", stop);
    const run = await start();
    started.push(run);
    await pollUntil(() => run.diagnostics.maintenance?.isLeader === true);
    await withDeadline(run.stop(), "the stop");
    await run.completed;
    assert.deepEqual(
      said.filter((message) => message === "client stopped" || message === "no longer leader"),
      ["no longer leader", "client stopped"],
    );
  });
}

test("a client that is stopped by whoever hears that it leads says that it leads no more", async (t) => {
  const { start, events } = await clientOnSqlite(t);
  const stops: Promise<void>[] = [];
  const started: RunHandle[] = [];
  whenTold(t, "leader_acquired", () => {
    for (const run of started) stops.push(run.stop());
  });
  const run = await start();
  started.push(run);
  await withDeadline(run.completed, "the end of the runtime");
  await Promise.all(stops);
  assert.equal(stops.length, 1);
  assert.deepEqual([events.kinds().leader_acquired, events.kinds().leader_lost], [1, 1]);
});
