/** What every store does for sweepers and operators: sweeps, dispatches, actions, lists, alerts, retention. */
import assert from "node:assert/strict";
import { timeOrderedId } from "@riverqueue/reaction/home";
import { by, leaseOf, newEvent, settlement, type StoreTest, SWEEP_MS } from "./store-values.ts";

/** By title. */
export const STORE_UPKEEP_TESTS: Readonly<Record<string, StoreTest>> = {
  "due sweeps are won once, ever later, and never for finished events": async ({ store, advance }) => {
    const [finished, due] = [newEvent(), newEvent()];
    for (const event of [finished, due]) await store.createEvent(event);
    await store.leaseCommand(leaseOf(finished));
    await store.settleCommand(settlement(finished));
    assert.deepEqual(await store.claimSweeps(100), []);
    const waits = [60_000, 60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000, 3_600_000];
    for (const [index, wait] of waits.entries()) {
      advance(wait);
      const won = (await Promise.all([store.claimSweeps(100), store.claimSweeps(100)])).flat();
      assert.deepEqual(won, [{ id: due.id, sweeps: index + 1 }]);
    }
    advance(3_599_000);
    assert.deepEqual(await store.claimSweeps(100), []);
  },

  "a pass wins no more than its limit": async ({ store, advance }) => {
    for (let count = 0; count < 3; count++) await store.createEvent(newEvent());
    advance(SWEEP_MS);
    assert.equal((await store.claimSweeps(2)).length, 2);
    assert.equal((await store.claimSweeps(2)).length, 1);
  },

  "a dispatch is noted, and finished events are left alone": async ({ store }) => {
    const [open, finished] = [newEvent(), newEvent()];
    for (const event of [open, finished]) await store.createEvent(event);
    await store.leaseCommand(leaseOf(finished));
    await store.settleCommand(settlement(finished));
    const statuses = async (): Promise<unknown[]> => {
      const read = await Promise.all([open, finished].map(({ id }) => store.readEvent(id)));
      return read.map((each) => each?.event.status);
    };
    await store.markDispatched([open.id, finished.id], false);
    assert.deepEqual(await statuses(), ["undispatched", "completed"]);
    await store.markDispatched([open.id, finished.id], true);
    assert.deepEqual(await statuses(), ["dispatched", "completed"]);
    await store.postponeSweep(open.id, 3 * SWEEP_MS);
    const read = await store.readEvent(open.id);
    assert.ok((read?.event.nextSweepAt?.getTime() ?? 0) - (read?.now.getTime() ?? 0) > 2 * SWEEP_MS);
  },

  "an operator retries what has failed or is in review, and what is done is recorded": async ({ store, advance }) => {
    const event = newEvent({ commands: newEvent().commands.map((command) => ({ ...command, maxAttempts: 1 })) });
    await store.createEvent(event);
    const commandId = event.commands[0]?.id ?? "";
    assert.equal(await store.retryCommand(commandId, by("0")), null);
    assert.deepEqual(await store.listActions(event.id), []);
    await store.leaseCommand(leaseOf(event));
    await store.settleCommand(settlement(event, { status: "failed", error: { code: "no", message: "" } }));
    assert.equal(await store.retryCommand(commandId, by("1")), event.id);
    const again = await store.readEvent(event.id);
    assert.equal(again?.event.status, "undispatched");
    assert.equal(again?.event.finishedAt, null);
    assert.equal(again?.commands[0]?.status, "pending");
    assert.equal(again?.commands[0]?.maxAttempts, 2);
    advance(1);
    assert.equal((await store.claimSweeps(10)).length, 1);

    await store.leaseCommand(leaseOf(event, 0, 1));
    await store.settleCommand(settlement(event, { attempt: 2, status: "needs_review" }));
    assert.equal(await store.completeCommand(commandId, by("2")), event.id);
    assert.equal(await store.completeCommand(commandId, by("3")), null);
    const done = await store.readEvent(event.id);
    assert.equal(done?.event.status, "completed");
    assert.equal(done?.commands[0]?.status, "succeeded");
    assert.equal(await store.redispatchEvent(event.id, by("4")), false);
    assert.deepEqual(
      (await store.listActions(event.id)).map(({ action, actor, commandId: command }) => ({ action, actor, command })),
      [
        { action: "retry", actor: "ana", command: commandId },
        { action: "mark_done", actor: "ana", command: commandId },
      ],
    );
  },

  "an event that has something left is dispatched anew at once": async ({ store }) => {
    const event = newEvent();
    await store.createEvent(event);
    assert.equal(await store.redispatchEvent(event.id, { id: "1", actor: "ana" }), true);
    assert.equal((await store.claimSweeps(10))[0]?.id, event.id);
    assert.deepEqual(
      (await store.listActions(event.id)).map(({ action }) => action),
      ["redispatch"],
    );
  },

  "lists are newest first, filtered and paged": async ({ store, advance }) => {
    for (const type of ["a", "b", "a", "a", "b"]) {
      await store.createEvent(newEvent({ type, idempotencyKey: `${type} ${Math.random()}` }));
      advance(1000);
    }
    const pages = [];
    let cursor: string | undefined;
    do {
      const page = await store.listEvents({ type: "a", limit: 2, cursor });
      pages.push(page.items.map(({ type }) => type));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(pages, [["a", "a"], ["a"]]);
    const { items } = await store.listEvents({});
    const times = items.map(({ createdAt }) => createdAt.getTime());
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    const [newest] = items;
    const key = newest?.idempotencyKey ?? "";
    assert.deepEqual((await store.listEvents({ idempotencyKey: key })).items, [newest]);
    const to = new Date(times[1] ?? 0);
    assert.equal((await store.listEvents({ from: new Date(times[3] ?? 0), to })).items.length, 2);
    assert.equal((await store.listCommands({ eventType: "b", status: "pending", mode: "async" })).items.length, 2);
    assert.equal((await store.listCommands({ eventId: newest?.id, name: "command_0" })).items.length, 1);
    const ofKey = await store.listCommands({ idempotencyKey: key });
    assert.ok(ofKey.items.length > 0 && ofKey.items.every(({ eventId }) => eventId === newest?.id));
    assert.deepEqual((await store.listCommands({ idempotencyKey: key, eventType: "a" })).items, []);
    assert.equal((await store.listCommands({ status: "failed" })).items.length, 0);
    await assert.rejects(store.listEvents({ limit: 0 }), { code: "validation" });
    await assert.rejects(store.listEvents({ cursor: "x" }), { code: "validation" });
  },

  "alerts are kept and listed": async ({ store }) => {
    const alert = {
      id: timeOrderedId(new Date()),
      raisedAt: new Date(1_700_000_000_000),
      severity: "high",
      code: "needs_review",
      message: "look",
      eventId: "e",
      commandId: null,
      queue: null,
      messageId: "7",
    } as const;
    await store.recordAlert(alert);
    await store.recordAlert(alert);
    assert.deepEqual((await store.listAlerts({ eventId: "e" })).items, [alert]);
    assert.deepEqual((await store.listAlerts({ severity: "warning" })).items, []);
  },

  "retention takes the errors as well, and a command whose input is gone is not retried": async ({
    store,
    advance,
  }) => {
    const event = newEvent({}, ["async", "async"]);
    await store.createEvent(event);
    const error = { code: "no", message: "the card of ana@example.org was refused" };
    for (const index of [0, 1]) await store.leaseCommand(leaseOf(event, index));
    await store.settleCommand(settlement(event, { status: "failed", error }, 0));
    await store.settleCommand(settlement(event, {}, 1));
    advance(90_000);
    const retention = { contentAfterMs: 90_000, keysAfterMs: null, alertsAfterMs: 90_000, limit: 10 };
    assert.equal(await store.applyRetention(retention), 1);
    const emptied = await store.readEvent(event.id);
    assert.deepEqual(
      emptied?.commands.map(({ status, input, result, error: kept, attempts }) => [
        status,
        input,
        result,
        kept,
        attempts,
      ]),
      [
        ["failed", null, null, null, []],
        ["succeeded", null, null, null, []],
      ],
    );
    assert.equal(emptied?.event.status, "failed");
    const [failed = "", succeeded = ""] = event.commands.map(({ id }) => id);
    await assert.rejects(store.retryCommand(failed, by("1")), { name: "DeletedContentError", code: "content_deleted" });
    assert.equal(await store.retryCommand(succeeded, by("2")), null);
    const after = await store.readEvent(event.id);
    assert.deepEqual([after?.event, after?.commands], [emptied?.event, emptied?.commands]);
    assert.deepEqual(await store.listActions(event.id), []);
    assert.deepEqual(await store.claimSweeps(10), []);
  },

  "any number may apply retention at once, and no content stays behind": async ({ store, advance }) => {
    const events = Array.from({ length: 24 }, () => newEvent());
    for (const event of events) {
      await store.createEvent(event);
      await store.leaseCommand(leaseOf(event));
      await store.settleCommand(settlement(event, { result: "1" }));
    }
    advance(90_000);
    const retention = { contentAfterMs: 90_000, keysAfterMs: null, alertsAfterMs: 90_000, limit: 5 };
    // Some may be told to try again: they wait for the rows of one another.
    await Promise.allSettled(Array.from({ length: 8 }, () => store.applyRetention(retention)));
    for (let passes = 0; (await store.applyRetention(retention)) > 0; passes++) assert.ok(passes < 10);
    for (const { id } of events) {
      const stored = await store.readEvent(id);
      assert.deepEqual(
        [stored?.event.payload, stored?.commands[0]?.input, stored?.commands[0]?.result],
        [null, null, null],
      );
    }
  },

  "retention leaves what an operator has brought back to life, and takes the rest in parts": async ({
    store,
    advance,
  }) => {
    const events = Array.from({ length: 5 }, () => newEvent({}, ["async"]));
    for (const event of events) {
      await store.createEvent(event);
      await store.leaseCommand(leaseOf(event));
      await store.settleCommand(settlement(event, { status: "failed", error: { code: "no", message: "" } }));
    }
    const [back = newEvent(), ...others] = events;
    assert.equal(await store.retryCommand(back.commands[0]?.id ?? "", by("1")), back.id);
    advance(90_000);
    const retention = { contentAfterMs: 80_000, keysAfterMs: 90_000, alertsAfterMs: 90_000, limit: 3 };
    await store.applyRetention(retention);
    await store.applyRetention(retention);
    for (const { id } of others) assert.equal(await store.readEvent(id), null);
    assert.equal((await store.listCommands({})).items.length, 1, "no command is left of an event that went");
    const kept = await store.readEvent(back.id);
    assert.deepEqual([kept?.commands[0]?.status, kept?.commands[0]?.input], ["pending", { position: 0 }]);
    assert.deepEqual(kept?.event.payload, { orderId: "1" });
  },

  "retention takes the content and keeps key and statuses, until the key's own time": async ({ store, advance }) => {
    const [finished, open] = [newEvent({ idempotencyKey: "k" }), newEvent()];
    for (const event of [finished, open]) await store.createEvent(event);
    await store.leaseCommand(leaseOf(finished));
    await store.settleCommand(settlement(finished, { result: "1" }));
    const retention = { contentAfterMs: 90_000, keysAfterMs: null, alertsAfterMs: 90_000, limit: 10 };
    assert.equal(await store.applyRetention(retention), 0);
    advance(90_000);
    assert.equal(await store.applyRetention(retention), 1);
    assert.equal(await store.applyRetention(retention), 0);
    const read = await store.readEvent(finished.id);
    assert.deepEqual([read?.event.payload, read?.event.status, read?.event.payloadHash], [null, "completed", "00"]);
    assert.deepEqual(
      [read?.commands[0]?.input, read?.commands[0]?.result, read?.commands[0]?.attempts, read?.commands[0]?.status],
      [null, null, [], "succeeded"],
    );
    assert.equal((await store.createEvent(newEvent({ idempotencyKey: "k" }))).created, false);
    assert.notEqual((await store.readEvent(open.id))?.event.payload, null);
    await store.applyRetention({ ...retention, keysAfterMs: 80_000 });
    assert.equal(await store.readEvent(finished.id), null);
    assert.equal((await store.createEvent(newEvent({ idempotencyKey: "k" }))).created, true);
  },
};
