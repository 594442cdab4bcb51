/** What the package says about itself. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { temporaryFolder } from "@riverqueue/internal-test-kit";

const root = join(import.meta.dirname, "../../..");

/** A page as one line, so that words are found wherever lines break. */
function page(path: string): string {
  return readFileSync(join(root, path), "utf8").replace(/\s+/g, " ");
}

function manifest(folder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Record<string, unknown>;
}

function exampleSource(name: string): string {
  return page(`examples/worker-thread-cpu/src/${name}.ts`);
}

/** What the README of the package must tell, and in which words. Words may change; the point may not vanish. */
const POINTS: Readonly<Record<string, RegExp>> = {
  "WT-84 when to use threads": /\*\*Do\*\* for handlers that compute and cannot yield/,
  "WT-84 when not": /\*\*Don't\*\* for ordinary I\/O\..* would only add serialization, messages and memory/,
  "WT-84 an export instead of a closure": /The handler is an export and not a closure/,
  "WT-84 arguments that can cross": /Arguments must be able to cross/,
  "WT-84 no client, completeTx, resumable": /It has no `client`, `completeTx` or `resumable`/,
  "WT-84 what a rising number of crashes means":
    /A rising `crashedThreads` usually means that handlers leave work behind/,
  "WT-84 the order of stopping and closing": /\*\*Stop the clients first, then close the executor\*\*/,
  "WT-84 WT-67 how to name modules": /Name handler modules by their compiled name, `\.\/handler\.js`/,
  "WT-84 WT-69 what can be stripped": /no enums, no parameter properties/,
  "WT-84 WT-70 trusted modules only":
    /They are no sandbox\*\*: they share process and file system, and each starts with a copy of the environment variables\. Only run trusted modules/,
  "WT-84 WT-71 Node.js 26 with Temporal":
    /Node\.js 26 or newer with a native `Temporal`: `node -p "typeof Temporal"` must print `object`/,
  "WT-84 WT-73 TypeScript 6.0 with Node's types":
    /TypeScript 6\.0 or newer, `@types\/node`, and `"node"` among `compilerOptions\.types`/,
};

for (const [point, words] of Object.entries(POINTS)) {
  test(`${point} is in the README`, () => {
    assert.match(page("packages/worker-threads/README.md"), words);
  });
}

test("WT-70 the docstring of the executor says that threads are no sandbox", () => {
  const source = page("packages/worker-threads/src/worker-threads.ts").replaceAll(" * ", " ");
  assert.match(
    source,
    /they are no sandbox\. They share process and file system, and each starts with a copy of the environment variables: run trusted modules only/,
  );
});

test("WT-71 WT-72 the manifest asks for Node.js 26 and for exactly this version of the core", () => {
  const { version, engines, peerDependencies, dependencies } = manifest("worker-threads");
  assert.equal(version, manifest("riverqueue")["version"]);
  assert.deepEqual([engines, peerDependencies, dependencies], [{ node: ">=26" }, { riverqueue: version }, undefined]);
});

/** What npm says about an application that asks for this package and for the core in some version. It asks no registry. */
function npmInstall(
  t: TestContext,
  coreVersion: string,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  const folder = temporaryFolder(t);
  const file = (name: string, content: unknown): void => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "package.json"), JSON.stringify(content));
  };
  const { name, version, peerDependencies } = manifest("worker-threads");
  file("threads", { name, version, peerDependencies });
  file("core", { name: "riverqueue", version: coreVersion });
  file("application", {
    name: "application",
    private: true,
    dependencies: { riverqueue: "file:../core", [String(name)]: "file:../threads" },
  });
  const options = [
    "--dry-run",
    "--offline",
    "--install-links",
    "--no-audit",
    "--no-fund",
    `--cache=${join(folder, "cache")}`,
  ];
  return new Promise((resolve) => {
    const place = { cwd: join(folder, "application"), shell: process.platform === "win32" };
    execFile("npm", ["install", ...options], place, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });
}

test("WT-72 npm refuses any other version of the core, and takes this one", async (t) => {
  const version = String(manifest("riverqueue")["version"]);
  const same = await npmInstall(t, version);
  assert.equal(same.failed, false, same.output);
  const other = await npmInstall(
    t,
    version.replace(/\d+$/, (patch) => String(Number(patch) + 1)),
  );
  assert.equal(other.failed, true, other.output);
  assert.match(other.output, /ERESOLVE[^]*peer riverqueue@/);
});

test("WT-83 the example has definition, handler and application in modules of their own", () => {
  assert.match(exampleSource("jobs"), /defineJob/);
  assert.doesNotMatch(exampleSource("jobs"), /handler\.ts/);
  assert.match(exampleSource("handler"), /import type \{ findPrime \} from "\.\/jobs\.ts"/);
  assert.match(exampleSource("index"), /import type \* as handlers from "\.\/handler\.ts"/);
  assert.doesNotMatch(exampleSource("index"), /import \{[^}]*\} from "\.\/handler\.ts"/);
});
