// `npm run test:consumer`: what somebody sees who installs the packages. Not part of `npm test`, because it installs.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import test, { after, before, type TestContext } from "node:test";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { findCodeFences } from "../checks/code-fences.ts";
import { readSourceTree } from "../checks/source-tree.ts";
import { ConsumerFolder } from "./consumer-folder.ts";

const root = dirname(dirname(import.meta.dirname));
const testdata = join(import.meta.dirname, "testdata");

/** Compilers that users have: where each one's program is, by the name it is installed under. */
const COMPILERS = { typescript6: "6.0.3", typescript7: "7.0.2" };

let consumer: ConsumerFolder;

before(async () => {
  const versionOf = (name: string): string => readManifest(join(root, "node_modules", name)).version;
  consumer = await ConsumerFolder.make(root, {
    ...Object.fromEntries(["@types/node", "@types/pg", "pg", "zod"].map((name) => [name, versionOf(name)])),
    ...Object.fromEntries(Object.entries(COMPILERS).map(([name, version]) => [name, `npm:typescript@${version}`])),
  });
  await consumer.write("tsconfig.json", JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["**/*.ts"] }));
  await consumer.copy(join(testdata, "smoke.ts"), "smoke.ts");
  await consumer.copy(join(testdata, "samples"), "samples");
  await aliasOfApplication();
  await consumer.copy(join(root, "scripts", "api", "test", "shapes.test-d.ts"), "shapes.test-d.ts");
  const readmes = readSourceTree(root).filter(({ path }) => /^(?:packages\/[^/]+\/)?README\.md$/.test(path));
  for (const [index, fence] of findCodeFences(readmes).entries()) {
    await consumer.write(`fences/${index}.ts`, `// ${fence.path}:${fence.line}\n${fence.code}\nexport {};\n`);
  }
});

after(() => consumer?.[Symbol.asyncDispose]());

const COMPILER_OPTIONS = {
  target: "esnext",
  module: "nodenext",
  lib: ["esnext"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  allowImportingTsExtensions: true,
};

for (const [name, version] of Object.entries(COMPILERS)) {
  test(`JS-113 WT-73 WT-76 RX-31 the samples, the programs of the README files and the public types compile under TypeScript ${version}`, async () => {
    assert.equal(await consumer.installedVersion(name), version);
    const { code, output } = await consumer.run(process.execPath, [
      join("node_modules", name, "bin", "tsc"),
      "-p",
      ".",
    ]);
    assert.equal(output, "");
    assert.equal(code, 0);
  });
}

test("jobs are inserted, worked and retried, and the run stops", async () => {
  const { code, output } = await consumer.run(process.execPath, ["smoke.ts"]);
  assert.equal(
    output,
    [
      "job_completed flaky 2, job_completed greet 1, job_failed flaky 1",
      'completed "hello world"',
      "completed after attempt 1 fails",
      "run is stopped",
      "event is accepted, remember succeeded",
      "",
    ].join("\n"),
  );
  assert.equal(code, 0);
});

postgresTest("JS-113 the sample that starts a client runs until SIGTERM, and stops gracefully", async (t) => {
  const ended = await runUntil("samples/start-and-stop.ts", "listening for SIGTERM", "SIGTERM", await database(t));
  assert.equal(ended, "exit 0");
});

postgresTest("JS-113 the sample of a client that never leads works jobs and maintains nothing", async (t) => {
  const { code, output } = await consumer.run(process.execPath, ["samples/never-leading.ts"], await database(t));
  assert.equal(output, "job_completed encode_video\nmaintenance null\n");
  assert.equal(code, 0);
});

postgresTest("JS-113 the sample of a client that fetches known kinds only leaves others available", async (t) => {
  const { code, output } = await consumer.run(process.execPath, ["samples/known-kinds-only.ts"], await database(t));
  assert.equal(output, "job_completed encode_video\nmaintenance null\nother available\n");
  assert.equal(code, 0);
});

test("the sample of a definition with a schema runs", async () => {
  const { code, output } = await consumer.run(process.execPath, ["samples/find-prime.ts"]);
  assert.equal(output, "example.find_prime\n");
  assert.equal(code, 0);
});

test("WT-76 WT-67 the samples of handlers in threads run, with handlers that are not compiled", async () => {
  const { code, output } = await consumer.run(process.execPath, ["samples/worker-threads/prime-and-image.ts"]);
  assert.equal(output, '{"prime":541}\n{"resizedTo":640}\n');
  assert.equal(code, 0);
});

test("RX-31 the sample that emits an event runs: accepted at first, and a duplicate the second time", async () => {
  for (const status of ["accepted", "duplicate"]) {
    const { code, output } = await consumer.run(process.execPath, ["samples/reaction/emit-some-event.ts"]);
    assert.equal(output, `${status} note succeeded\n`);
    assert.equal(code, 0);
  }
});

test("the command creates the tables and finds them right", async () => {
  const command = join("node_modules", "@riverqueue", "cli", "bin", "riverqueue.cjs");
  for (const verb of ["migrate-up", "validate"]) {
    const { code, output } = await consumer.run(process.execPath, [command, verb, "--database-url", "sqlite://cli.db"]);
    assert.equal(code, 0, output);
  }
});

test("the program of the README works a job and stops on SIGINT", async () => {
  assert.equal(await runUntil("fences/0.ts", "resizing cat.jpg to 640", "SIGINT"), "exit 0");
});

test("JS-116 on a Node.js older than 26 the core can be imported, and assertRuntimeSupport() names what is missing", async (t) => {
  const { npm_node_execpath: hostNode = "node" } = process.env;
  const version = spawnSync(hostNode, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout.trim();
  if (Number.parseInt(version, 10) >= 26) return t.skip(`npm runs on Node.js ${version} here, which is not old`);
  const program = `
    const { assertRuntimeSupport, Client, isRetryableError, Workers } = await import("riverqueue");
    for (const use of [() => assertRuntimeSupport(), () => new Client({})]) {
      try { use(); console.log("passed"); }
      catch (error) { console.log(error.name, isRetryableError(error), /^River needs (\\S+),/.exec(error.message)?.[1]); }
    }
    console.log(new Workers().size);`;
  const { code, output } = await consumer.run(hostNode, ["--input-type=module", "--eval", program]);
  assert.equal(output, "ConfigurationError false Temporal\nConfigurationError false Temporal\n0\n");
  assert.equal(code, 0);
});

test("what each package says about its files is true", async () => {
  for (const { name } of consumer.packages) {
    const pkgDir = join(consumer.path, "node_modules", name);
    const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true });
    assert.deepEqual(
      messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`),
      [],
    );
  }
});

test("a second copy of the core is never installed", async () => {
  for (const { name } of consumer.packages) {
    const nested = join(consumer.path, "node_modules", name, "node_modules");
    assert.throws(() => readManifest(join(nested, "riverqueue")), { code: "ENOENT" }, name);
  }
});

/** The sample imports its application by an alias, `@/core/reaction`; a package of that name is what Node finds, too. */
async function aliasOfApplication(): Promise<void> {
  const folder = join("node_modules", "@", "core");
  const application = 'export * from "../../../samples/reaction/core-reaction.ts";\n';
  const manifest = { name: "@/core", type: "module", exports: { "./reaction": "./reaction.js" } };
  await consumer.write(join(folder, "package.json"), JSON.stringify(manifest));
  await consumer.write(join(folder, "reaction.js"), application);
  await consumer.write(join(folder, "reaction.d.ts"), application);
}

/** A database with River's tables, as `pg` finds it in the environment. */
async function database(t: TestContext): Promise<Record<string, string>> {
  const { url } = await leasePostgresDatabase(t);
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    PGHOST: hostname,
    PGPORT: port || "5432",
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  };
}

/** Runs a program until it prints a line, sends it a signal, and says how it ended. */
async function runUntil(
  program: string,
  line: string,
  signal: NodeJS.Signals,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(process.execPath, [program], {
    cwd: consumer.path,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  let printed = "";
  child.stderr.on("data", (chunk) => (printed += chunk));
  for await (const seen of createInterface({ input: child.stdout })) {
    printed += `${seen}\n`;
    if (seen === line) child.kill(signal);
  }
  const [code, by] = await ended;
  assert.match(printed, new RegExp(`^${line}$`, "m"));
  return by === null ? `exit ${code}` : `killed by ${by}`;
}

function readManifest(folder: string): { readonly version: string } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string };
}
