import assert from "node:assert/strict";
import test from "node:test";
import { DriverInspectOperations } from "../../src/operations/driver-inspect-operations.ts";
import { DriverJobOperations } from "../../src/operations/driver-job-operations.ts";
import { DriverQueueOperations } from "../../src/operations/driver-queue-operations.ts";
import { encodeJobListCursor } from "../../src/operations/job-list-cursor.ts";
import { insertOnlyContext } from "./testdata/insert-only-driver.ts";

const jobs = new DriverJobOperations(insertOnlyContext);
const queues = new DriverQueueOperations(insertOnlyContext);
const inspect = new DriverInspectOperations(insertOnlyContext);

/** Calls a method as JavaScript would, without types, and expects it to refuse its arguments. */
async function refuses(target: object, method: string, args: unknown[], message: RegExp): Promise<void> {
  const call = Reflect.get(target, method) as (...args: unknown[]) => Promise<unknown>;
  await assert.rejects(() => call.apply(target, args), { code: "validation", message }, `${method} ${String(args)}`);
}

test("operations on one job refuse IDs that are none", async () => {
  for (const method of ["get", "cancel", "retry", "delete", "update"]) {
    for (const id of [1, "1", undefined, null, 2n ** 63n, -(2n ** 63n) - 1n]) {
      await refuses(jobs, method, [id, {}], /^id must be a bigint of at most 64 bits$/);
    }
  }
});

test("operations refuse unknown options and transactions that are none", async () => {
  const ofJob: [method: string, args: unknown[]][] = [
    ["get", [1n]],
    ["cancel", [1n]],
    ["retry", [1n]],
    ["delete", [1n]],
    ["update", [1n]],
    ["list", []],
    ["deleteMany", []],
  ];
  const ofQueue: [method: string, args: unknown[]][] = [
    ["get", ["q"]],
    ["pause", ["q"]],
    ["resume", ["q"]],
    ["update", ["q"]],
    ["list", []],
  ];
  for (const [target, methods] of [
    [jobs, ofJob],
    [queues, ofQueue],
  ] as const) {
    for (const [method, args] of methods) {
      await refuses(target, method, [...args, { txx: {} }], /^txx is not an option; did you mean tx\?/);
      await refuses(target, method, [...args, { tx: null }], /tx must be an open transaction/);
      await refuses(target, method, [...args, { tx: 5 }], /tx must be an open transaction/);
      await refuses(target, method, [...args, null], /^options must be an object/);
    }
  }
});

test("lists refuse bad filters, orders and limits, all in one error", async () => {
  const bad: [options: object, message: RegExp][] = [
    [{ ids: 1n }, /^ids must be an array$/],
    [{ ids: [1n, 2] }, /^ids\[1\] must be a bigint of at most 64 bits$/],
    [{ ids: Array(1) }, /^ids\[0\] must be a bigint/],
    [{ kinds: ["a", null] }, /^kinds\[1\] must be a string/],
    [{ kinds: ["a\0"] }, /^kinds\[0\] must be a string without U\+0000 and lone surrogates$/],
    [{ queues: ["\ud800"] }, /^queues\[0\] must be a string/],
    [{ queues: "default" }, /^queues must be an array$/],
    [{ priorities: [0] }, /^priorities\[0\] must be an integer from 1 to 4$/],
    [{ priorities: [1.5, 5] }, /^priorities\[0\] .*; priorities\[1\] /],
    [{ states: ["done"] }, /^states\[0\] must be one of available, cancelled, completed/],
    [{ tagsAll: [1] }, /^tagsAll\[0\] must be a string/],
    [{ tagsAny: {} }, /^tagsAny must be an array$/],
    [{ metadata: [] }, /^metadata at \$: expected an object, got an array$/],
    [{ metadata: { at: new Date() } }, /^metadata at \$\.at: expected JSON, got an instance of Date$/],
    [{ orderBy: "createdAt" }, /^orderBy must be one of finalizedAt, id, scheduledAt, time$/],
    [{ sortDirection: "up" }, /^sortDirection must be one of asc, desc$/],
    [{ limit: 0 }, /^limit must be an integer from 1 to 10000$/],
    [{ limit: 10_001 }, /^limit/],
    [{ limit: 1n }, /^limit/],
    [{ state: ["running"] }, /^state is not an option; did you mean states\?$/],
    [
      { limit: 0, ids: "x", kind: [], metadata: [] },
      /^kind is .*; ids must .*; limit must .*; metadata at \$: expected /,
    ],
  ];
  for (const [options, message] of bad) await refuses(jobs, "list", [options], message);
});

test("the order finalizedAt takes finalized states only, and time at least one state", async () => {
  const message = /^states must be of cancelled, completed, discarded for orderBy finalizedAt$/;
  await refuses(jobs, "list", [{ orderBy: "finalizedAt", states: ["completed", "running"] }], message);
  await refuses(jobs, "list", [{ orderBy: "finalizedAt", states: [] }], message);
  await refuses(jobs, "list", [{ orderBy: "time", states: [] }], /^states must not be empty for orderBy time$/);
});

test("lists refuse cursors that are none or belong to another order", async () => {
  const time = Temporal.Instant.from("2024-05-01T12:34:56Z");
  const position = { id: 1n, kind: "k", queue: "q" };
  const byId = encodeJobListCursor({ ...position, orderBy: "id", time: null });
  const byTime = encodeJobListCursor({ ...position, orderBy: "time", time });
  const withoutTime = encodeJobListCursor({ ...position, orderBy: "time", time: null });
  const none = /^after must be the nextCursor of a job list$/;
  const other = /^after must be the nextCursor of a list with the same orderBy$/;
  for (const after of ["", "abc", 5, null, {}]) await refuses(jobs, "list", [{ after }], none);
  await refuses(jobs, "list", [{ after: byTime }], other);
  await refuses(jobs, "list", [{ after: byId, orderBy: "scheduledAt" }], other);
  await refuses(jobs, "list", [{ after: byId, orderBy: "time", states: ["running"] }], other);
  await refuses(jobs, "list", [{ after: withoutTime, orderBy: "time" }], other);
});

test("deleteMany asks for a filter or for everything, not for both", async () => {
  const neither = /^options must have a filter \(ids, kinds, priorities, queues, states\) or all: true$/;
  for (const options of [{}, { limit: 5 }, { all: false }, { ids: undefined }]) {
    await refuses(jobs, "deleteMany", [options], neither);
  }
  await refuses(jobs, "deleteMany", [{ all: true, kinds: [] }], /^all must not be combined with a filter$/);
  await refuses(jobs, "deleteMany", [{ all: "yes" }], /^all must be a boolean$/);
  await refuses(jobs, "deleteMany", [{ all: "yes", ids: 1 }], /^ids must be an array; all must be a boolean$/);
  await refuses(jobs, "deleteMany", [{ all: true, limit: 0 }], /^limit must be an integer from 1 to 10000$/);
  await refuses(jobs, "deleteMany", [{ tagsAll: ["a"] }], /^tagsAll is not an option/);
  await refuses(jobs, "deleteMany", [], /^options must be an object$/);
});

test("JS-112: updates refuse reserved keys, values that are no JSON and output over 32 MiB", async () => {
  const bad: [options: object, message: RegExp][] = [
    [
      { metadata: { "river:log": [] } },
      /^metadata at \$\["river:log"\] must not start with river:, which is reserved$/,
    ],
    [{ metadata: null }, /^metadata at \$: expected an object, got null$/],
    [{ metadata: { a: { b: [1, undefined] } } }, /^metadata at \$\.a\.b\[1\]: expected JSON, got undefined$/],
    [{ output: 5n }, /^job output at \$: expected JSON, got a bigint$/],
    [{ output: { total: Number.NaN } }, /^job output at \$\.total: expected a finite number, got NaN$/],
    [{ output: "x".repeat(33_554_431) }, /^job output must not exceed 32 MiB$/],
    [{ output: "<".repeat(6_000_000) }, /^job output must not exceed 32 MiB$/],
    [{ outptu: 1 }, /^outptu is not an option; did you mean output\?$/],
    [
      { metadata: { "river:log": 1 }, output: 5n, tx: 5 },
      /^tx must .*; metadata at \$\["river:log"\] .*; job output at /,
    ],
  ];
  for (const [options, message] of bad) await refuses(jobs, "update", [1n, options], message);
  const atLimit = "x".repeat(33_554_430);
  await assert.rejects(jobs.update(1n, { output: atLimit }), { code: "unsupported_capability" });
});

test("operations on queues refuse names and pages that are none", async () => {
  for (const method of ["get", "pause", "resume", "update"]) {
    for (const name of [1, undefined, null, "a\0b"]) {
      await refuses(queues, method, [name, {}], /^name must be a string without U\+0000/);
    }
  }
  await refuses(queues, "list", [{ limit: 10_001 }], /^limit must be an integer from 1 to 10000$/);
  await refuses(queues, "list", [{ after: 5 }], /^after must be a string/);
  await refuses(queues, "list", [{ affter: "a" }], /^affter is not an option; did you mean after\?$/);
  await refuses(queues, "update", ["q", { metadata: "{}" }], /^metadata at \$: expected an object, got a string$/);
  await refuses(queues, "update", [5, { metadata: 5, tx: 5 }], /^name must .*; tx must .*; metadata at \$: expected /);
});

test("inspections refuse bad bounds", async () => {
  const bad: [options: unknown, message: RegExp][] = [
    [{ cap: 0 }, /^cap must be an integer from 1 to 1000000$/],
    [{ limit: 0 }, /^limit must be an integer from 1 to 10000$/],
    [{ timeout: 5 }, /^timeout must be a duration/],
    [{ timeout: { milliseconds: 0 } }, /^timeout must be at least 1 ms$/],
    [{ timeoutMs: 5 }, /^timeoutMs is not an option; use timeout with a duration/],
    [null, /^options must be an object$/],
  ];
  for (const method of ["counts", "queues", "throughput", "clients", "leader"]) {
    for (const [options, message] of bad) await refuses(inspect, method, [options], message);
  }
});

test("a driver that only inserts lacks the capability when an operation is called", async () => {
  const lacks = { code: "unsupported_capability", backend: "postgres" };
  const calls: (() => Promise<unknown>)[] = [
    () => jobs.get(1n),
    () => jobs.list(),
    () => jobs.cancel(1n),
    () => jobs.retry(1n),
    () => jobs.delete(1n),
    () => jobs.deleteMany({ all: true }),
    () => jobs.update(1n, { output: 1 }),
    () => queues.get("q"),
    () => queues.list(),
    () => queues.pause("q"),
    () => queues.resume("*"),
    () => queues.update("q", {}),
    () => inspect.counts(),
    () => inspect.queues(),
    () => inspect.throughput(),
    () => inspect.clients(),
    () => inspect.leader(),
  ];
  for (const call of calls) await assert.rejects(call, lacks);
});
