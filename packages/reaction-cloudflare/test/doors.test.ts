// Whatever is passed to what a Worker is built with, a wrong value is refused with a typed error that names it.
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createReaction, type Reaction } from "@riverqueue/reaction";
import {
  type CloudflareBindings,
  createCloudflareHome,
  createQueueSender,
  createWorker,
} from "@riverqueue/reaction-cloudflare";

failOnLeaks();

const NOT_OBJECTS = [null, 5, "x", []];
const NOT_FUNCTIONS = [null, 5, "x", {}];
const binding = { sendBatch() {}, batch() {}, put() {} };
const queues = ["ASYNC_POLICY_TASK_QUEUE", "ASYNC_LOGGER_QUEUE", "ANALYTICS_QUEUE"];
const bindings = Object.fromEntries([
  ...[...queues, "REACTION_DB", "ANALYTICS_DB", "REACTION_KV"].map((name) => [name, binding]),
  ...queues.map((name) => [`${name}_NAME`, name.toLowerCase()]),
]) as CloudflareBindings;
const reaction: Reaction<never> = createReaction({ ...createCloudflareHome(bindings), policies: [] });

/** What is called, with what, and what the error says. */
const DOORS: readonly (readonly [
  name: string,
  call: (value: never) => unknown,
  values: readonly unknown[],
  says: RegExp,
])[] = [
  [
    "createCloudflareHome",
    (value) => createCloudflareHome(value),
    [undefined, ...NOT_OBJECTS, {}],
    /^bindings\.\w+ must be bound/,
  ],
  ...Object.keys(bindings).map(
    (name) =>
      [
        `createCloudflareHome ${name}`,
        (value: never) => createCloudflareHome({ ...bindings, [name]: value }),
        [undefined, null, 5, {}, ""],
        new RegExp(`^bindings\\.${name} must be`),
      ] as const,
  ),
  [
    "createCloudflareHome options",
    (value) => createCloudflareHome(bindings, value),
    NOT_OBJECTS,
    /^options must be an object/,
  ],
  [
    "createCloudflareHome now",
    (now) => createCloudflareHome(bindings, { now }),
    NOT_FUNCTIONS,
    /^options\.now must be a function/,
  ],
  ["createQueueSender", (value) => createQueueSender(value), [undefined, ...NOT_OBJECTS, {}], /^binding must be bound/],
  [
    "send",
    (value) => createQueueSender(binding as never).send(value),
    [undefined, null, 5, "x", {}],
    /^messages must be a list/,
  ],
  [
    "send a message",
    (value) => createQueueSender(binding as never).send([value]),
    [null, {}],
    /^messages\[0\]\.body must be/,
  ],
  ["createWorker", (value) => createWorker(value), [undefined, ...NOT_OBJECTS], /^options must be an object/],
  [
    "createWorker reaction",
    (value) => createWorker({ reaction: value }),
    [undefined, ...NOT_OBJECTS, { consume() {} }, { ...reaction, queues: null }, { ...reaction, processor: null }],
    /^options\.reaction must be made by createReaction/,
  ],
  [
    "createWorker queues",
    (value) => createWorker({ reaction, queues: value }),
    [null, 5, "x", {}, [null], [{}]],
    /^options\.queues must/,
  ],
  [
    "createWorker logging",
    (logging) => createWorker({ reaction, logging }),
    NOT_OBJECTS,
    /^options\.logging must be an object/,
  ],
  [
    "createWorker fetch",
    (fetch) => createWorker({ reaction, fetch }),
    NOT_FUNCTIONS,
    /^options\.fetch must be a function/,
  ],
  [
    "createWorker scheduled",
    (value) => createWorker({ reaction, scheduled: value }),
    NOT_FUNCTIONS,
    /^options\.scheduled must/,
  ],
];

test("a wrong value is refused with an error that names it, at every door of a Worker", async () => {
  for (const [name, call, values, says] of DOORS) {
    for (const value of values) {
      const what = `${name}: ${JSON.stringify(value)}`;
      await assert.rejects(
        Promise.try(() => call(value as never)),
        (error: Error & { code?: string }) => {
          const gave = `${what} gave ${error.name}: ${error.message}`;
          assert.ok(error.code === "configuration" || error.code === "validation", gave);
          assert.match(error.message, says, gave);
          return true;
        },
        what,
      );
    }
  }
});
