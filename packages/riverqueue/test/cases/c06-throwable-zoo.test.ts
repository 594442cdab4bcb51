/** Everything that can be thrown, in process: what exactly is recorded, reported and retried. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { clientOnSqlite, quickQueue } from "../testdata/client-on-sqlite.ts";
import { throwables } from "./testdata/throwables.ts";

failOnLeaks();

const LIMIT = 32_768;

/** The ways in which a value gets out of a handler. */
const WAYS: Readonly<Record<string, (value: unknown) => unknown>> = {
  "thrown at once": (value) => {
    throw value;
  },
  "thrown by an async function": async (value) => {
    await Promise.resolve();
    throw value;
  },
  "as the reason of a rejection": (value) => Promise.reject(value),
};

for (const [way, end] of Object.entries(WAYS)) {
  for (const errorStacks of ["faults", "always"] as const) {
    test(`C06 whatever is thrown leaves one storable error and an ordinary retry: ${way}, stacks of ${errorStacks}`, async (t) => {
      const zoo = throwables();
      const calls = zoo.map(() => 0);
      const handled: unknown[] = [];
      const { start, insert, events, row, states } = await clientOnSqlite(t, {
        client: {
          errorStacks,
          retryPolicy: (_, now) => now,
          queues: { default: quickQueue(100) },
          errorHandler: (_context, error) => void handled.push(error),
        },
        handler: ({ job }) => {
          const n = Number(job.args["n"]);
          calls[n] = (calls[n] ?? 0) + 1;
          return job.attempt === 1 ? (end(zoo[n]?.value) as Promise<void>) : undefined;
        },
      });
      const ids = await insert(zoo.length);
      const run = await start();
      await events.when("job_completed", zoo.length);
      await run.stop();
      assert.deepEqual(states(), { completed: zoo.length });
      assert.ok(calls.every((count) => count === 2));
      assert.equal(handled.length, zoo.length);
      const failures = events.of("job_failed");
      assert.equal(failures.length, zoo.length);
      for (const [n, { name, value, message }] of zoo.entries()) {
        const { attempt, errors } = await row(ids[n] ?? 0n);
        const [entry] = errors;
        assert.deepEqual([attempt, errors.length, entry?.attempt], [2, 1, 1], name);
        assert.equal(entry?.error, message, name);
        assert.ok(entry.error !== "" && entry.error.length <= LIMIT && entry.trace.length <= LIMIT, name);
        const event = failures.find(({ job }) => job.id === ids[n]);
        assert.ok(event && Object.is(event.error, value), name);
        assert.equal(event.job.errors.length, 1, name);
      }
    });
  }
}

type Then = (resolve: (value?: unknown) => void, reject: (reason: unknown) => void) => void;

const THENABLES: readonly (readonly [message: string, then: Then])[] = [
  [
    "in then",
    () => {
      throw new Error("in then");
    },
  ],
  [
    "rejected, then thrown",
    (_, reject) => {
      reject("rejected, then thrown");
      throw new Error("too late");
    },
  ],
  [
    "rejected twice",
    (_, reject) => {
      reject("rejected twice");
      reject("again");
    },
  ],
];

test("C06 a returned thenable that throws in then, or settles twice, fails the attempt once", async (t) => {
  const { start, insert, events, row } = await clientOnSqlite(t, {
    client: { retryPolicy: (_, now) => now.add({ hours: 1 }) },
    // oxlint-disable-next-line unicorn/no-thenable -- the case is about thenables
    handler: ({ job }) => ({ then: THENABLES[Number(job.args["n"])]?.[1] }) as never,
  });
  const ids = await insert(THENABLES.length);
  await start();
  await events.when("job_failed", THENABLES.length);
  for (const [n, [message]] of THENABLES.entries()) {
    const { state, attempt, errors } = await row(ids[n] ?? 0n);
    assert.deepEqual([state, attempt, errors.map(({ error }) => error)], ["retryable", 1, [message]]);
  }
  assert.equal(events.of("job_failed").length, THENABLES.length);
});

test("C06 a handler that recurses without end fails its attempt, and its neighbours go on", async (t) => {
  const recurse = (depth: number): number => recurse(depth + 1) + 1;
  const { start, insert, events, row } = await clientOnSqlite(t, {
    handler: ({ job }) => void (job.args["n"] === 0 && recurse(0)),
  });
  const [first = 0n] = await insert(3, { maxAttempts: 1 });
  await start();
  await events.when("job_failed");
  await events.when("job_completed", 2);
  const { state, errors } = await row(first);
  assert.equal(state, "discarded");
  assert.match(errors[0]?.error ?? "", /call stack/);
  assert.match(errors[0]?.trace ?? "", /recurse/);
});
