/** What every store does with events, leases and the ends of attempts. */
import assert from "node:assert/strict";
import { LEASE_MS, leaseOf, NAMES, newEvent, opening, settlement, type StoreTest, SWEEP_MS } from "./store-values.ts";

/** By title. */
export const STORE_WRITE_TESTS: Readonly<Record<string, StoreTest>> = {
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

  "opening an event reads it as it was and leases its first command, a sync one first": async ({ store }) => {
    const event = newEvent({}, ["async", "sync"]);
    await store.createEvent(event);
    const before = await store.readEvent(event.id);
    const opened = await store.openEvent(opening(event));
    assert.ok(opened !== null && opened.leased !== null);
    const { leased, now: _now, ...records } = opened;
    assert.deepEqual(records, { event: before?.event, commands: before?.commands });
    assert.deepEqual([leased.name, leased.status, leased.attempt, leased.retryAt], ["command_1", "running", 1, null]);
    assert.equal(leased.lease?.owner, "owner-a");
    const after = await store.readEvent(event.id);
    assert.deepEqual(after?.commands, [before?.commands[0], leased]);
    assert.ok((after?.event.nextSweepAt ?? 0) > leased.lease.expiresAt, "the sweep is behind the lease");
    assert.equal((await store.openEvent(opening(event)))?.leased, null, "what is first is running");
    await store.settleCommand(settlement(event, {}, 1));
    assert.equal((await store.openEvent(opening(event)))?.leased?.name, "command_0");
    assert.equal((await store.settleCommand(settlement(event)))?.eventStatus, "completed");
    const done = await store.openEvent(opening(event));
    assert.deepEqual([done?.event.status, done?.event.nextSweepAt, done?.leased], ["completed", null, null]);
    assert.equal(await store.openEvent(opening(newEvent())), null);
  },

  "an event is opened by one of many, and many are opened at once": async ({ store }) => {
    const event = newEvent();
    await store.createEvent(event);
    const owners = ["a", "b", "c", "d"];
    const opened = await Promise.all(owners.map((owner) => store.openEvent(opening(event, NAMES, owner))));
    assert.equal(opened.filter((each) => each?.leased).length, 1);
    const events = Array.from({ length: 9 }, () => newEvent({}, ["async", "async"]));
    for (const each of events) await store.createEvent(each);
    // Each is asked for by a processor that knows its own commands.
    const lists = [NAMES, ["command_1"], []];
    const asked = [...events.keys()].map((index) => opening(events[index] ?? event, lists[index % 3]));
    const all = await Promise.all([
      ...asked.map((params) => store.openEvent(params)),
      store.openEvent(opening(newEvent())),
    ]);
    assert.deepEqual(
      all.map((each) => each?.leased?.eventId),
      [...events.map(({ id }, index) => (index % 3 === 0 ? id : undefined)), undefined],
    );
    assert.equal(all.at(-1), null);
  },

  "opening leaves alone what needs a look first": async ({ store, advance }) => {
    const [first = newEvent().commands[0], second = first] = newEvent({}, ["async", "async"]).commands;
    assert.ok(first !== undefined && second !== undefined);
    const event = newEvent({
      commands: [
        { ...first, maxAttempts: 1 },
        { ...second, after: first.name },
      ],
    });
    await store.createEvent(event);
    const leased = async (): Promise<unknown> => (await store.openEvent(opening(event)))?.leased?.name;
    assert.equal(await leased(), "command_0");
    advance(LEASE_MS + 1);
    assert.equal(await leased(), undefined, "its process may have died");
    const decision = { eventId: event.id, commandId: first.id, seenAttempt: 1, status: "failed" } as const;
    await store.decideCommand({ ...decision, error: null, sweepInMs: SWEEP_MS, send: false });
    assert.equal(await leased(), undefined, "it comes after one that failed");
    const tried = newEvent();
    await store.createEvent(tried);
    await store.leaseCommand(leaseOf(tried));
    await store.settleCommand(settlement(tried, { status: "retryable", retryInMs: 5000 }));
    const again = await store.openEvent(opening(tried));
    assert.deepEqual([again?.commands[0]?.attempt, again?.leased?.attempt], [1, 2]);
    assert.equal(again?.leased?.attempts.length, 1);
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
};
