// How a lease is kept while a handler runs, and what becomes of the handler when it cannot be.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { ReactionStore } from "@riverqueue/reaction";
import { createTimedReaction, type Timing } from "@riverqueue/reaction/home";
import type { DatabaseSync } from "node:sqlite";
import { openSqliteHome } from "./testdata/open-home.ts";
import { alertCodes, OrderPaid, orderCommands, orderPolicy } from "./testdata/order-paid.ts";
import { testCtx } from "./testdata/test-ctx.ts";

failOnLeaks();

type Renew = ReactionStore<DatabaseSync>["renewLease"];

/** Time that passes as fast as it is waited for; no timeout ever comes. */
function racing(): Timing & { readonly pauses: number[] } {
  let elapsed = 0;
  const pauses: number[] = [];
  return {
    pauses,
    monotonic: () => elapsed,
    pause: (ms, signal) => {
      if (signal?.aborted === true) return Promise.resolve();
      pauses.push(ms);
      elapsed += ms;
      return new Promise((resolve) => setImmediate(resolve));
    },
    after: () => () => {},
  };
}

/** A handler that ends when `until` resolves or its signal is aborted, under a lease that is renewed as `renew` says. */
async function held(t: TestContext, renew: (real: Renew) => Renew, until?: Promise<void>) {
  const { home } = await openSqliteHome(t);
  const timing = racing();
  const reasons: unknown[] = [];
  const { grant } = orderCommands(
    {
      grant: ({ signal }) =>
        new Promise((resolve, reject) => {
          void until?.then(resolve);
          signal.addEventListener("abort", () => {
            reasons.push((signal.reason as Error).name);
            reject(signal.reason as Error);
          });
        }),
    },
    { maxAttempts: 1 },
  );
  const store = Object.assign(Object.create(home.store) as typeof home.store, {
    sendsInTransaction: true,
    renewLease: renew((...args) => home.store.renewLease(...args)),
    createEvent: home.store.createEvent.bind(home.store),
    leaseCommand: home.store.leaseCommand.bind(home.store),
    settleCommand: home.store.settleCommand.bind(home.store),
    recordAlert: home.store.recordAlert.bind(home.store),
  });
  const { codes, alerts } = alertCodes();
  const reaction = createTimedReaction({ policies: [orderPolicy(grant)], ...home.parts, store, alerts }, timing);
  const event = OrderPaid.create({ idempotencyKey: "order-paid:1", payload: { orderId: "1" } });
  const { commands } = await reaction.processor.emit(testCtx(), event);
  return { commands, reasons, codes, pauses: timing.pauses };
}

test("a handler is aborted when its lease could not be renewed until it ran out, and not before", async (t) => {
  let tries = 0;
  const { commands, reasons, pauses } = await held(t, () => () => {
    tries++;
    return Promise.reject(new Error("down"));
  });
  assert.deepEqual(reasons, ["AbortError"]);
  assert.deepEqual(
    commands.map(({ status, error }) => [status, error?.code]),
    [["failed", "lease_lost"]],
  );
  assert.deepEqual(pauses.slice(0, 3), [20_000, 20_000, 20_000]);
  assert.equal(tries, 3);
});

test("a handler is aborted as soon as its lease turns out to be somebody else's", async (t) => {
  let tries = 0;
  const { reasons } = await held(
    t,
    (real) =>
      (...args) =>
        ++tries < 5 ? real(...args) : Promise.resolve(false),
  );
  assert.deepEqual(reasons, ["AbortError"]);
  assert.equal(tries, 5, "it was kept for longer than it lasts by itself");
});

test("a lease is renewed at a third of it, for as long as its handler runs", async (t) => {
  let renewals = 0;
  const done = Promise.withResolvers<void>();
  const renew = (real: Renew): Renew => {
    return async (...args) => {
      const isHeld = await real(...args);
      if (++renewals === 7) done.resolve();
      return isHeld;
    };
  };
  const { commands, reasons, codes, pauses } = await held(t, renew, done.promise);
  assert.equal(commands[0]?.status, "succeeded");
  assert.deepEqual([reasons, codes], [[], []]);
  assert.ok(pauses.length >= 7 && pauses.every((ms) => ms === 20_000), "twice as long as it lasts by itself");
});
