/** Everything that can be thrown, in process and in threads: what exactly is recorded, reported and retried. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { throwables } from "@riverqueue/internal-test-kit/throwables";
import { WorkerThreadHandlerError } from "@riverqueue/worker-threads";
import { onBothDatabases } from "../src/database.ts";
import { openScene, quickQueue } from "../src/scene.ts";
import { openThreadScene } from "../src/thread-scene.ts";
import { THENABLES } from "./testdata/thenables.ts";

failOnLeaks();

const LIMIT = 32_768;

/** The ways in which a value gets out of a handler, and whose stacks are kept meanwhile. */
const WAYS: readonly {
  readonly way: string;
  readonly errorStacks: "always" | "faults";
  readonly end: (value: unknown) => unknown;
}[] = [
  {
    way: "thrown at once",
    errorStacks: "always",
    end: (value) => {
      throw value;
    },
  },
  {
    way: "thrown by an async function",
    errorStacks: "faults",
    end: async (value) => {
      await Promise.resolve();
      throw value;
    },
  },
  { way: "as the reason of a rejection", errorStacks: "always", end: (value) => Promise.reject(value) },
];

for (const { way, errorStacks, end } of WAYS) {
  onBothDatabases(
    `C06 whatever is thrown leaves one storable error and an ordinary retry: ${way}, stacks of ${errorStacks}`,
    async (t, database) => {
      const zoo = throwables();
      const handled: unknown[] = [];
      const { start, insert, events, row, states, calls } = openScene(t, database, {
        client: {
          errorStacks,
          retryPolicy: (_, now) => now,
          queues: { default: quickQueue(100) },
          errorHandler: (_context, error) => void handled.push(error),
        },
        handler: ({ job }) =>
          job.attempt === 1 ? (end(zoo[Number(job.args["n"]) - 1]?.value) as Promise<void>) : undefined,
      });
      const ids = await insert(zoo.length);
      const run = await start();
      await events.when("job_completed", zoo.length);
      await run.stop();
      assert.deepEqual(await states(), { completed: zoo.length });
      const expectedCalls = zoo.flatMap((_, n) => [n + 1, n + 1]);
      assert.deepEqual(
        calls.toSorted((a, b) => a - b),
        expectedCalls,
      );
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
    },
  );
}

onBothDatabases(
  "C06 a returned thenable that throws in then, or settles twice, fails the attempt once",
  async (t, database) => {
    const { start, insert, events, row } = openScene(t, database, {
      client: { retryPolicy: (_, now) => now.add({ hours: 1 }) },
      // oxlint-disable-next-line unicorn/no-thenable -- the case is about thenables
      handler: ({ job }) => ({ then: THENABLES[Number(job.args["n"]) - 1]?.[1] }) as never,
    });
    const ids = await insert(THENABLES.length);
    await start();
    await events.when("job_failed", THENABLES.length);
    for (const [n, [message]] of THENABLES.entries()) {
      const { state, attempt, errors } = await row(ids[n] ?? 0n);
      assert.deepEqual([state, attempt, errors.map(({ error }) => error)], ["retryable", 1, [message]]);
    }
    assert.equal(events.of("job_failed").length, THENABLES.length);
  },
);

const zooInThreads = new URL("./testdata/thread-zoo.js", import.meta.url);

onBothDatabases(
  "C06 whatever is thrown in a thread leaves one storable error and an ordinary retry",
  async (t, database) => {
    const zoo = throwables();
    const { start, insert, events, row, states, callsOf, executor } = openThreadScene(t, database, {
      module: zooInThreads,
      exportName: "throwOnce",
      client: { errorStacks: "always", retryPolicy: (_, now) => now, queues: { default: quickQueue(100) } },
    });
    const ids = await insert(zoo.length);
    await start();
    await events.when("job_completed", zoo.length);
    assert.deepEqual(await states(), { completed: zoo.length });
    const failures = events.of("job_failed");
    assert.equal(failures.length, zoo.length);
    for (const [n, { name, message }] of zoo.entries()) {
      const id = ids[n] ?? 0n;
      const { attempt, errors } = await row(id);
      const [entry] = errors;
      assert.deepEqual([attempt, errors.length, entry?.attempt, callsOf(id)], [2, 1, 1, 2], name);
      assert.equal(entry?.error, message, name);
      assert.ok(entry.error !== "" && entry.error.length <= LIMIT && entry.trace.length <= LIMIT, name);
      const event = failures.find(({ job }) => job.id === id);
      assert.ok(event?.error instanceof WorkerThreadHandlerError, name);
      assert.equal(event.job.errors.length, 1, name);
    }
    assert.equal(executor.diagnostics().crashedThreads, 0);
  },
);

onBothDatabases(
  "C06 a thenable that a handler in a thread returns fails the attempt once when it throws in then, or settles twice",
  async (t, database) => {
    const { start, insert, events, row, executor } = openThreadScene(t, database, {
      module: zooInThreads,
      exportName: "returnThenable",
      client: { retryPolicy: (_, now) => now.add({ hours: 1 }) },
    });
    const ids = await insert(THENABLES.length);
    await start();
    await events.when("job_failed", THENABLES.length);
    for (const [n, [message]] of THENABLES.entries()) {
      const { state, attempt, errors } = await row(ids[n] ?? 0n);
      assert.deepEqual([state, attempt, errors.map(({ error }) => error)], ["retryable", 1, [message]]);
    }
    assert.equal(events.of("job_failed").length, THENABLES.length);
    assert.equal(executor.diagnostics().crashedThreads, 0);
  },
);

onBothDatabases(
  "C06 a handler that recurses without end fails its attempt, and its neighbours go on",
  async (t, database) => {
    const recurse = (depth: number): number => recurse(depth + 1) + 1;
    const { start, insert, events, row } = openScene(t, database, {
      handler: ({ job }) => void (job.args["n"] === 1 && recurse(0)),
    });
    const [first = 0n] = await insert(3, { maxAttempts: 1 });
    await start();
    await events.when("job_failed");
    await events.when("job_completed", 2);
    const { state, errors } = await row(first);
    assert.equal(state, "discarded");
    assert.match(errors[0]?.error ?? "", /call stack/);
    assert.match(errors[0]?.trace ?? "", /recurse/);
  },
);
