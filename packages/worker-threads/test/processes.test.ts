/** Whole processes: what keeps them alive, preloaded modules, compiled and uncompiled handlers, a test runner. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { failOnLeaks, type SpawnedNode, spawnNode, temporaryFolder } from "@riverqueue/internal-test-kit";

failOnLeaks();

const program = (name: string): URL => new URL(`./testdata/programs/${name}.ts`, import.meta.url);

/** A program with a module preloaded, in its threads as well. */
function preloaded(t: TestContext, name: string, preload: string): SpawnedNode {
  return spawnNode(t, program(name), [], { execArgv: ["--import", program(preload).href] });
}

async function all(child: SpawnedNode): Promise<unknown[]> {
  const messages: unknown[] = [];
  for await (const message of child.messages) messages.push(message);
  assert.deepEqual(await child.exit(), { code: 0, signal: null }, child.log);
  return messages;
}

test("WT-63 idle threads of an executor that nobody closes let the process end", async (t) => {
  const child = spawnNode(t, program("never-closed"), ["nothing"]);
  assert.deepEqual(await all(child), [
    { activeThreads: 0, crashedThreads: 0, idleThreads: 1, pendingTasks: 0, totalThreads: 1 },
  ]);
});

test("WT-63 an attempt that runs keeps the process alive until it has ended", async (t) => {
  const child = spawnNode(t, program("never-closed"), ["busyFor"]);
  assert.equal((await all(child)).length, 1);
});

test("WT-53 an attempt that two threads in a row did not take fails, and the pool goes on", async (t) => {
  const message = "worker thread exited with code 7 before the handler had settled";
  const ends = await all(preloaded(t, "unlucky-threads", "ends-when-ready"));
  assert.deepEqual(
    ends.slice(0, 3),
    Array.from({ length: 3 }, () => ({ status: "rejected", message })),
  );
  assert.equal((ends[3] as { crashedThreads: number }).crashedThreads, 6);
});

test("WT-54 threads that cannot start fail an attempt each, and nothing else", async (t) => {
  const message = "worker thread exited with code 6 before the handler had settled";
  const ends = await all(preloaded(t, "unlucky-threads", "ends-at-start"));
  assert.deepEqual(
    ends.slice(0, 3),
    Array.from({ length: 3 }, () => ({ status: "rejected", message })),
  );
  assert.equal((ends[3] as { crashedThreads: number }).crashedThreads, 3);
});

test("WT-68 loaders that the process was started with work in its threads", async (t) => {
  assert.deepEqual(await all(preloaded(t, "loader-made", "marks-threads")), ["marked: true"]);
});

test("C29 in process a forgotten promise is the application's: River adds no rejection, and its job stays completed", async (t) => {
  const child = spawnNode(t, program("forgotten-in-process"));
  assert.deepEqual(await all(child), [{ heard: ["Error: forgotten"], state: "completed", errors: 0 }]);
});

/** A folder from which this repository's packages can be imported. */
function application(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  const root = dirname(createRequire(import.meta.url).resolve("vitest/package.json"));
  symlinkSync(dirname(root), join(folder, "node_modules"));
  for (const [name, text] of Object.entries({ "package.json": '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const MAIN = `
  import { WorkerThreads } from "@riverqueue/worker-threads";
  import { defineJob } from "riverqueue";
  const job = defineJob({ kind: "task" });
  const time = Temporal.Instant.from("2026-12-01T00:00:00Z");
  const log = () => {};
  export const context = {
    execution: { attemptedBy: "client", startedAt: time },
    job: { id: 1n, kind: "task", queue: "default", state: "running", priority: 1, attempt: 1, maxAttempts: 25,
      args: {}, rawArgs: {}, metadata: {}, tags: [], attemptedBy: [], errors: [], createdAt: time, scheduledAt: time,
      attemptedAt: time, finalizedAt: null, uniqueKey: null, uniqueStates: null },
    logger: { debug: log, error: log, info: log, warn: log },
  };
  export async function work(exportName) {
    await using executor = new WorkerThreads({ maxThreads: 1 });
    const target = executor.handler(job, { exportName, module: new URL("./handlers.js", import.meta.url) });
    return await executor.start(context, target.handler).result;
  }
`;
const HANDLERS = (from: string): string => `
  import { complete } from "riverqueue";
  import { name } from "./name.js";
  export const handle = () => complete({ output: name + " by ${from}" });
`;

/** What a program printed. */
async function printed(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, ["--conditions=@riverqueue/source", ...args], {
    cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  child.stderr.on("data", (chunk) => (text += chunk));
  await once(child, "close");
  return text;
}

const PRINT = 'import { work } from "./main.js"; console.log((await work("handle")).output);';

test("WT-64 WT-65 WT-67 sources run by the name that they will be compiled to, their relative imports included", async (t) => {
  const folder = application(t, {
    "run.ts": PRINT.replace("main.js", "main.ts"),
    "main.ts": MAIN.replace("exportName)", "exportName: string)"),
    "handlers.ts": HANDLERS("source"),
    "name.ts": 'export const name: string = "worked";',
  });
  assert.equal(await printed(["run.ts"], folder), "worked by source\n");
});

test("WT-66 WT-67 what is compiled is what runs, also with the source beside it", async (t) => {
  const folder = application(t, {
    "run.js": PRINT,
    "main.js": MAIN,
    "handlers.js": HANDLERS("build"),
    "handlers.ts": HANDLERS("source"),
    "name.js": 'export const name = "worked";',
    "name.ts": 'export const name: string = "not this one";',
  });
  assert.equal(await printed(["run.js"], folder), "worked by build\n");
});

for (const type of ["module", "module-typescript", "commonjs"]) {
  test(`WT-67 a program that is a text of type ${type} has threads`, async (t) => {
    const folder = application(t, {
      "main.ts": MAIN.replace("exportName)", "exportName: string)"),
      "handlers.ts": HANDLERS("source"),
      "name.ts": 'export const name: string = "worked";',
    });
    const script = `import(${JSON.stringify(pathToFileURL(join(folder, "main.ts")).href)})
      .then(({ work }) => work("handle")).then(({ output }) => console.log(output));`;
    assert.equal(await printed([`--input-type=${type}`, "--eval", script], folder), "worked by source\n");
  });
}

test("WT-64 without type stripping there is no fallback", async (t) => {
  // The packages' own sources are TypeScript here, so what decides about the fallback is asked by itself.
  const fallback = new URL("../src/thread/source-fallback.ts", import.meta.url);
  const script = `
    Object.defineProperty(process.features, "typescript", { value: false });
    const { registerSourceFallback } = await import(${JSON.stringify(fallback.href)});
    registerSourceFallback();
    await import(process.argv[1]).then(() => console.log("found"), (error) => console.log(error.code));`;
  const format = new URL("./testdata/format.js", import.meta.url).href;
  const folder = application(t, {});
  assert.equal(await printed(["--input-type=module", "--eval", script, format], folder), "ERR_MODULE_NOT_FOUND\n");
  const enabled = script.replace("value: false", 'value: "strip"');
  assert.equal(await printed(["--input-type=module", "--eval", enabled, format], folder), "found\n");
});

test("WT-69 a handler in syntax that cannot be stripped fails its attempt with that", async (t) => {
  const folder = application(t, {
    "run.ts":
      'import { work } from "./main.ts"; await work("handle").catch((error: Error) => console.log(error.message));',
    "main.ts": MAIN.replace("exportName)", "exportName: string)"),
    "handlers.ts": "enum Colour { red }; export const handle = () => Colour.red;",
  });
  assert.match(await printed(["run.ts"], folder), /enum is not supported/);
});

test("WT-67 handlers run under Vitest by the same name", async (t) => {
  const folder = application(t, {
    "main.ts": MAIN.replace("exportName)", "exportName: string)"),
    "handlers.ts": HANDLERS("vitest"),
    "name.ts": 'export const name: string = "worked";',
    // As `--conditions` does for node: the packages by their sources.
    "vitest.config.mjs": `
      const conditions = ["@riverqueue/source"];
      export default { resolve: { conditions }, ssr: { resolve: { conditions, externalConditions: conditions } } };`,
    "main.test.ts": `
      import { expect, test } from "vitest";
      import { work } from "./main.ts";
      test("a handler in a thread", async () => {
        expect(await work("handle")).toMatchObject({ type: "complete", output: "worked by vitest" });
      });`,
  });
  const vitest = fileURLToPath(
    new URL("vitest.mjs", `file://${createRequire(import.meta.url).resolve("vitest/package.json")}`),
  );
  const output = await printed([vitest, "run", "--no-color", "--root", folder], folder);
  assert.match(output, /Tests {2}1 passed/, output);
});

test("WT-77 the core's values can be imported in a thread, which can end at once all the same", async (t) => {
  const script = `
    const before = process.getActiveResourcesInfo().length;
    const { complete, snooze, discard, cancel } = await import("riverqueue");
    console.log(process.getActiveResourcesInfo().length - before, [complete, snooze, discard, cancel].map((f) => typeof f).join());`;
  const folder = application(t, {
    "in-thread.mjs": script,
    "main.mjs": `import { Worker } from "node:worker_threads";
      const { promise, resolve } = Promise.withResolvers();
      new Worker(new URL("./in-thread.mjs", import.meta.url)).on("exit", resolve);
      console.log("exit", await promise);`,
  });
  assert.equal(await printed(["main.mjs"], folder), "0 function,function,function,function\nexit 0\n");
});

test("WT-71 where Temporal is missing the core says so before any work", async (t) => {
  const folder = application(t, {
    "main.mjs": `delete globalThis.Temporal;
      const { assertRuntimeSupport } = await import("riverqueue");
      try { assertRuntimeSupport(); } catch (error) { console.log(error.name, /Temporal/.test(error.message)); }`,
  });
  assert.equal(await printed(["main.mjs"], folder), "ConfigurationError true\n");
});
