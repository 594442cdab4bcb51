import assert from "node:assert/strict";
import test from "node:test";
import { type Extensions, resolveExtensions } from "../../src/extend/resolve-extensions.ts";
import type { ExtensionOptions } from "../../src/extend/river-hooks.ts";
import { OptionProblems } from "../../src/options/option-problems.ts";

function resolve(options: ExtensionOptions<unknown>): Extensions<unknown> {
  const problems = new OptionProblems();
  const extensions = resolveExtensions(options, problems);
  problems.throwConfiguration();
  return extensions;
}

test("everything of plugins comes before the client's own, in the order of the plugins", async () => {
  const calls: string[] = [];
  const hooks = (name: string): NonNullable<ExtensionOptions<unknown>["hooks"]> => ({
    beforeInsert: () => void calls.push(`${name} beforeInsert`),
    onMetric: () => void calls.push(`${name} onMetric`),
  });
  const middleware = [async () => undefined, async () => undefined, async () => undefined];
  const extensions = resolve({
    hooks: hooks("own"),
    middleware: middleware.slice(2),
    plugins: [
      { name: "a", hooks: hooks("a"), middleware: middleware.slice(0, 1) },
      { name: "b", hooks: hooks("b"), middleware: middleware[1] },
    ],
  });
  for (const hook of extensions.beforeInsert) await hook(undefined as never);
  for (const hook of extensions.onMetric) hook(undefined as never);
  assert.deepStrictEqual(calls, [
    "a beforeInsert",
    "b beforeInsert",
    "own beforeInsert",
    "a onMetric",
    "b onMetric",
    "own onMetric",
  ]);
  assert.deepStrictEqual(extensions.middleware, middleware);
  assert.deepStrictEqual(extensions.afterWork, []);
  for (const list of Object.values(extensions)) assert.ok(Object.isFrozen(list));
});

test("a hook is called on the object it came from", () => {
  const hooks = {
    onMetric(this: unknown): void {
      assert.equal(this, hooks);
    },
  };
  resolve({ hooks }).onMetric[0]?.(undefined as never);
});

test("everything that is wrong is named by its path in one error", () => {
  assert.throws(
    () =>
      resolve({
        hooks: { onEvents: () => {}, afterWork: 1 },
        insertMiddleware: "no",
        middleware: [1],
        plugins: [5, { name: "a" }, { name: "a", hook: {} }],
      } as never),
    (error: Error) => {
      for (const part of [
        "hooks.onEvents is not an option; did you mean onEvent?",
        "hooks.afterWork must be a function",
        "insertMiddleware must be an array of functions",
        "middleware[0] must be a function",
        "plugins[0] must be an object",
        'plugins[2].name must be unique; "a" is used twice',
        "plugins[2].hook is not an option; did you mean hooks?",
      ]) {
        assert.ok(error.message.includes(part), `${error.message}\nlacks: ${part}`);
      }
      return error.name === "ConfigurationError";
    },
  );
  assert.throws(() => resolve({ plugins: {} } as never), { message: "plugins must be an array of plugins" });
});
