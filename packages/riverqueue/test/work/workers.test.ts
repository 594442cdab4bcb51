import assert from "node:assert/strict";
import test from "node:test";
import { defineJob } from "../../src/definition/define-job.ts";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";
import type { WorkExecutor } from "../../src/work/work-executor.ts";
import { Workers } from "../../src/work/workers.ts";

const resize = defineJob({ kind: "resize", kindAliases: ["resize_v1", "a_resize"] });
const send = defineJob({ kind: "send" });
const unique = defineJob({ kind: "once", defaults: { unique: { byArgs: true } } });
const handler = (): void => {};
const executor: WorkExecutor = {
  name: "threads",
  start: () => ({ result: Promise.resolve(undefined), abort: async () => ({ terminated: false }) }),
};

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error.message;
  }
  throw new Error("nothing was thrown");
}

test("workers are added in a chain and found by kind and alias", () => {
  const workers = new Workers<unknown>();
  assert.equal(workers.add(resize, handler).addExecutor(send, { executor, handler: "x" }), workers);
  assert.deepStrictEqual(workers.kinds(), ["a_resize", "resize", "resize_v1", "send"]);
  assert.equal(workers.size, 2);
  assert.ok(workers.has("resize_v1"));
  assert.ok(!workers.has("other"));
  assert.equal(workers.get("a_resize"), workers.get("resize"));
  const registration = workers.get("send");
  assert.ok(registration?.type === "executor");
  assert.equal(registration.target.handler, "x");
  assert.deepStrictEqual(workers.executors(), [executor]);
});

test("a kind or alias that has a worker is refused, and nothing of the refused worker is added", () => {
  const workers = new Workers<unknown>().add(defineJob({ kind: "old", kindAliases: ["shared"] }), handler);
  const message = messageOf(() =>
    workers.add(defineJob({ kind: "new_kind", kindAliases: ["fresh", "shared"] }), handler),
  );
  assert.match(message, /must not repeat the kind "shared"/);
  assert.deepStrictEqual(workers.kinds(), ["old", "shared"]);
  assert.equal(workers.size, 1);
});

test("everything that is wrong with a worker is named in one error", () => {
  const message = messageOf(() =>
    new Workers<unknown>().add(
      { kind: "resize" } as never,
      5 as never,
      {
        timeot: { seconds: 1 },
        timeout: { seconds: 0 },
        retryPolicy: "soon",
        hooks: { beforeWork: 1, onEvent: () => {} },
        middleware: [1],
        plugins: [{ name: "" }, { name: "p", middleware: {} }, { name: "p" }],
        deleteOnComplete: "yes",
      } as never,
    ),
  );
  for (const part of [
    "handler must be a function or an object with a function createWorkHandler",
    "definition must be made by defineJob",
    "options.timeot is not an option; did you mean timeout?",
    "options.timeout must be at least 1 ms",
    "options.retryPolicy must be a function",
    "options.hooks.beforeWork must be a function",
    "options.hooks.onEvent is not an option",
    "options.middleware[0] must be a function",
    "options.plugins[0].name must be a string that is not empty",
    "options.plugins[1].middleware must be an array of functions",
    'options.plugins[2].name must be unique; "p" is used twice',
    "options.deleteOnComplete must be a boolean",
  ]) {
    assert.ok(message.includes(part), `${message}\nlacks: ${part}`);
  }
});

test("options named in milliseconds are refused by name", () => {
  const message = messageOf(() => new Workers<unknown>().add(send, handler, { timeoutMs: 5 } as never));
  assert.equal(message, "options.timeoutMs is not an option; use timeout with a duration such as { seconds: 5 }");
});

test("an executor's target must have an executor with a name and a function start", () => {
  for (const target of [
    undefined,
    {},
    { executor: {} },
    { executor: { name: "", start() {} } },
    { executor: { name: "x" } },
  ]) {
    const message = messageOf(() => new Workers<unknown>().addExecutor(send, target as never));
    assert.match(message, /target must be an object with an executor/);
  }
});

test("deleting completed rows is refused with the default unique states, unless byState is written out", () => {
  const message = messageOf(() => new Workers<unknown>().add(unique, handler, { deleteOnComplete: true }));
  assert.match(
    message,
    /options.deleteOnComplete must not be combined with the default unique states of job kind "once"/,
  );
  const chosen = defineJob({
    kind: "once",
    defaults: { unique: { byArgs: true, byState: ["available", "completed", "pending", "running", "scheduled"] } },
  });
  const workers = new Workers<unknown>().add(chosen, handler, { deleteOnComplete: true });
  assert.equal(workers.get("once")?.options.deleteOnComplete, true);
});

test("the definition decides about deleting completed rows unless the worker does", () => {
  const deleting = defineJob({ kind: "gone", deleteOnComplete: true });
  assert.equal(new Workers<unknown>().add(deleting, handler).get("gone")?.options.deleteOnComplete, true);
  const kept = new Workers<unknown>().add(deleting, handler, { deleteOnComplete: false });
  assert.equal(kept.get("gone")?.options.deleteOnComplete, false);
});

test("hooks of plugins come before the worker's own, and each is called on its object", () => {
  const calls: unknown[] = [];
  const hooks = {
    name: "own",
    beforeWork(this: { name: string }): void {
      calls.push(this.name);
    },
  };
  const { name: _, ...own } = hooks;
  const plugin = {
    name: "p",
    hooks: { beforeWork: () => void calls.push("plugin") },
    middleware: [async () => undefined],
  };
  const workers = new Workers<unknown>().add(send, handler, { hooks: own, plugins: [plugin], timeout: null });
  const options = workers.get("send")?.options;
  assert.equal(options?.beforeWork.length, 2);
  assert.equal(options?.pluginMiddleware.length, 1);
  assert.equal(options?.timeout, null);
  void options?.beforeWork[0]?.(undefined as never);
  assert.deepStrictEqual(calls, ["plugin"]);
});
