/** What every store of events and commands must do, as tests that each home runs on its own. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { NewEvent, ReactionStore, SettleParams } from "@riverqueue/reaction";
import { timeOrderedId } from "@riverqueue/reaction/home";

/** A store on an empty database, whose clock the test moves. */
export interface StoreUnderTest {
  readonly store: ReactionStore<never>;
  /** Moves the store's clock on. */
  readonly advance: (ms: number) => void;
}

const LEASE_MS = 60_000;
const SWEEP_MS = 60_000;

/** Registers the suite; `open` is called once a test. */
export function reactionStoreTests(name: string, open: (t: TestContext) => Promise<StoreUnderTest>): void {
  for (const [title, body] of Object.entries(TESTS)) {
    void test(`${name}: ${title}`, async (t) => body(await open(t)));
  }
}

/** An event with one async command, unless told otherwise. */
export function newEvent(change: Partial<NewEvent> = {}, modes: readonly ("async" | "sync")[] = ["async"]): NewEvent {
  const at = new Date();
  return {
    id: timeOrderedId(at),
    type: "order.paid",
    idempotencyKey: crypto.randomUUID(),
    version: 1,
    payload: '{"orderId":"1"}',
    payloadHash: "00",
    occurredAt: at,
    sweepInMs: SWEEP_MS,
    send: false,
    commands: modes.map((mode, position) => ({
      id: timeOrderedId(at),
      position,
      name: `command_${position}`,
      mode,
      after: null,
      maxAttempts: 3,
      input: `{"position":${position}}`,
    })),
    ...change,
  };
}

function leaseOf(event: NewEvent, index = 0, seenAttempt = 0, owner = "owner-a") {
  const commandId = event.commands[index]?.id ?? "";
  return { eventId: event.id, commandId, owner, seenAttempt, leaseMs: LEASE_MS, sweepInMs: LEASE_MS + SWEEP_MS };
}

function settlement(event: NewEvent, change: Partial<SettleParams> = {}, index = 0): SettleParams {
  return {
    eventId: event.id,
    commandId: event.commands[index]?.id ?? "",
    owner: "owner-a",
    attempt: 1,
    status: "succeeded",
    result: null,
    resultDropped: false,
    error: null,
    retryInMs: null,
    sweepInMs: SWEEP_MS,
    send: false,
    ...change,
  };
}

/** An operator, and the id of what she does. */
const by = (id: string): { readonly id: string; readonly actor: string } => ({ id, actor: "ana" });

const TESTS: Readonly<Record<string, (subject: StoreUnderTest) => Promise<void>>> = {
  "an event and its commands are written together and read back": async ({ store }) => {
    const event = newEvent({ payload: '{"text":"é😀\\u0000","n":1.5}' }, ["sync", "async"]);
    const created = await store.createEvent(event);
    const read = await store.readEvent(event.id);
    assert.ok(read !== null);
    assert.equal(created.created, true);
    assert.deepEqual(read.commands, created.commands);
    assert.deepEqual({ ...read.event, nextSweepAt: null }, { ...created.event, nextSweepAt: null });
    assert.deepEqual(read.event.payload, { text: "é😀\u0000", n: 1.5 });
    assert.equal(read.event.status, "pending");
    assert.deepEqual(
      read.commands.map(({ name, mode, status, attempt, input }) => ({ name, mode, status, attempt, input })),
      [
        { name: "command_0", mode: "sync", status: "pending", attempt: 0, input: { position: 0 } },
        { name: "command_1", mode: "async", status: "pending", attempt: 0, input: { position: 1 } },
      ],
    );
    assert.equal(await store.readEvent(newEvent().id), null);
  },

  "a second event of the same type and key is the first one": async ({ store }) => {
    const first = newEvent({ idempotencyKey: "k" });
    await store.createEvent(first);
    const second = await store.createEvent(newEvent({ idempotencyKey: "k", payload: "2" }));
    assert.equal(second.created, false);
    assert.equal(second.event.id, first.id);
    assert.deepEqual(
      second.commands.map(({ id }) => id),
      first.commands.map(({ id }) => id),
    );
    assert.equal((await store.createEvent(newEvent({ idempotencyKey: "k", type: "other" }))).created, true);
  },

  "of many at the same time one is written": async ({ store }) => {
    const all = Array.from({ length: 20 }, () => newEvent({ idempotencyKey: "k" }, ["sync", "async"]));
    const results = await Promise.all(all.map((event) => store.createEvent(event)));
    assert.equal(results.filter(({ created }) => created).length, 1);
    assert.equal(new Set(results.map(({ event }) => event.id)).size, 1);
    assert.equal((await store.listCommands({})).items.length, 2);
  },

  "a lease is taken once, counts the attempt, and moves the sweep behind it": async ({ store }) => {
    const event = newEvent();
    await store.createEvent(event);
    const leases = await Promise.all(["a", "b", "c"].map((owner) => store.leaseCommand(leaseOf(event, 0, 0, owner))));
    const taken = leases.filter((lease) => lease !== null);
    assert.equal(taken.length, 1);
    assert.equal(taken[0]?.status, "running");
    assert.equal(taken[0]?.attempt, 1);
    const read = await store.readEvent(event.id);
    const expires = read?.commands[0]?.lease?.expiresAt;
    assert.ok(expires !== undefined && read !== null && expires > read.now);
    assert.ok(read.event.nextSweepAt !== null && read.event.nextSweepAt > expires);
  },

  "a lease that has run out is taken over, and the attempt that died is recorded": async ({ store, advance }) => {
    const event = newEvent();
    await store.createEvent(event);
    await store.leaseCommand(leaseOf(event));
    assert.equal(await store.leaseCommand(leaseOf(event, 0, 1, "owner-b")), null);
    advance(LEASE_MS + 1);
    const over = await store.leaseCommand(leaseOf(event, 0, 1, "owner-b"));
    assert.equal(over?.attempt, 2);
    assert.deepEqual(
      over?.attempts.map(({ attempt, owner, outcome, finishedAt }) => ({ attempt, owner, outcome, finishedAt })),
      [{ attempt: 1, owner: "owner-a", outcome: "crashed", finishedAt: null }],
    );
  },

  "a late writer is refused: of another attempt, of another owner, after the end": async ({ store, advance }) => {
    const event = newEvent();
    await store.createEvent(event);
    await store.leaseCommand(leaseOf(event));
    advance(LEASE_MS + 1);
    await store.leaseCommand(leaseOf(event, 0, 1, "owner-b"));
    assert.equal(await store.settleCommand(settlement(event)), null);
    assert.equal(await store.settleCommand(settlement(event, { attempt: 2 })), null);
    assert.equal(await store.renewLease({ ...leaseOf(event), attempt: 1 }, LEASE_MS), false);
    assert.equal(await store.renewLease({ ...leaseOf(event, 0, 1, "owner-b"), attempt: 2 }, LEASE_MS), true);
    const read = await store.readEvent(event.id);
    assert.equal(read?.commands[0]?.status, "running");
    assert.equal(read?.commands[0]?.lease?.owner, "owner-b");
    const winner = settlement(event, { owner: "owner-b", attempt: 2, result: '{"done":true}' });
    assert.equal((await store.settleCommand(winner))?.eventStatus, "completed");
    assert.equal(await store.settleCommand(winner), null);
    assert.deepEqual((await store.readEvent(event.id))?.commands[0]?.result, { done: true });
  },

  "a renewed lease lasts from then on": async ({ store, advance }) => {
    const event = newEvent();
    await store.createEvent(event);
    await store.leaseCommand(leaseOf(event));
    advance(LEASE_MS - 1);
    assert.equal(await store.renewLease({ ...leaseOf(event), attempt: 1 }, LEASE_MS), true);
    advance(LEASE_MS - 1);
    assert.equal(await store.leaseCommand(leaseOf(event, 0, 1, "owner-b")), null);
  },

  "the event's status follows its commands in the same write": async ({ store }) => {
    const event = newEvent({}, ["async", "async", "async"]);
    await store.createEvent(event);
    for (const index of [0, 1, 2]) await store.leaseCommand(leaseOf(event, index));
    const error = { code: "no", message: "it failed" };
    const written = [
      await store.settleCommand(settlement(event, {}, 0)),
      await store.settleCommand(settlement(event, { status: "failed", error }, 1)),
      await store.settleCommand(settlement(event, { status: "retryable", error, retryInMs: 5000 }, 2)),
    ];
    assert.deepEqual(
      written.map((each) => each?.eventStatus),
      ["pending", "pending", "pending"],
    );
    assert.deepEqual(written[2]?.command.error, error);
    await store.leaseCommand(leaseOf(event, 2, 1));
    assert.equal((await store.settleCommand(settlement(event, { attempt: 2 }, 2)))?.eventStatus, "failed");
    const read = await store.readEvent(event.id);
    assert.equal(read?.event.status, "failed");
    assert.equal(read?.event.nextSweepAt, null);
    assert.ok(read?.event.finishedAt instanceof Date);
    assert.deepEqual(
      read?.commands[2]?.attempts.map(({ attempt, outcome }) => ({ attempt, outcome })),
      [
        { attempt: 1, outcome: "failed" },
        { attempt: 2, outcome: "succeeded" },
      ],
    );
  },

  "commands of one event that end at the same time leave the right status": async ({ store }) => {
    const event = newEvent(
      {},
      Array.from({ length: 8 }, () => "async" as const),
    );
    await store.createEvent(event);
    const indexes = event.commands.keys().toArray();
    await Promise.all(indexes.map((index) => store.leaseCommand(leaseOf(event, index))));
    await Promise.all(indexes.map((index) => store.settleCommand(settlement(event, {}, index))));
    assert.equal((await store.readEvent(event.id))?.event.status, "completed");
  },

  "a decision is written only while nobody runs the command": async ({ store, advance }) => {
    const event = newEvent({}, ["async", "async"]);
    await store.createEvent(event);
    const decision = { eventId: event.id, error: null, sweepInMs: SWEEP_MS, send: false };
    const second = { ...decision, commandId: event.commands[1]?.id ?? "", seenAttempt: 0, status: "skipped" as const };
    assert.equal((await store.decideCommand(second))?.command.status, "skipped");
    assert.equal(await store.decideCommand(second), null);
    await store.leaseCommand(leaseOf(event));
    const first = {
      ...decision,
      commandId: event.commands[0]?.id ?? "",
      seenAttempt: 1,
      status: "needs_review" as const,
    };
    assert.equal(await store.decideCommand(first), null);
    advance(LEASE_MS + 1);
    assert.equal((await store.decideCommand(first))?.command.status, "needs_review");
    const read = await store.readEvent(event.id);
    assert.equal(read?.event.nextSweepAt, null, "the sweeper leaves reviews alone");
    assert.equal(read?.event.finishedAt, null);
    assert.equal(read?.commands[0]?.attempts[0]?.outcome, "crashed");
  },

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
