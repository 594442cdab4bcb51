// `npm run test:mutations [-- --only=TEXT --jobs=N --list]`: changes one policy of the product at a time, in a copy of the
// repository, and reports every change that no test notices. The table is `mutations.data.ts`. `--only`, which may come
// more than once, chooses the changes whose line in `--list` contains one of the texts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgresServer } from "../../internal/test-kit/src/postgres-server.ts";
import { applyMutation } from "./apply-mutation.ts";
import { copyTree } from "./copy-tree.ts";
import { type Mutation, MUTATIONS } from "./mutations.data.ts";
import { runTestsOf } from "./run-tests-of.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [""] },
    jobs: { type: "string", default: "2" },
    list: { type: "boolean", default: false },
  },
});
// Ends what runs, by the handlers of "exit".
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const root = dirname(dirname(import.meta.dirname));
const chosen = MUTATIONS.filter((mutation) => options.only.some((text) => describe(mutation).includes(text)));

/** Test files that pass as they are; whether a change makes one of them fail means something only then. */
const sound = new Map<string, Promise<boolean>>();

if (options.list) for (const mutation of chosen) console.log(describe(mutation));
else process.exitCode = (await runAll()) ? 0 : 1;

async function runAll(): Promise<boolean> {
  const server = process.env["DATABASE_URL"] ? null : await startPostgresServer();
  if (server !== null) process.env["DATABASE_URL"] = server.url;
  const waiting = [...chosen];
  const survivors: string[] = [];
  const worker = async (): Promise<void> => {
    const copy = mkdtempSync(join(tmpdir(), "river-mutations-"));
    try {
      copyTree(root, copy);
      for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
        if (!(await isNoticed(copy, mutation))) survivors.push(describe(mutation));
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  };
  try {
    await Promise.all(Array.from({ length: Number(options.jobs) }, worker));
  } finally {
    await server?.stop();
  }
  console.log(`\n${chosen.length - survivors.length} of ${chosen.length} changes were noticed`);
  for (const survivor of survivors) console.log(`✖ ${survivor}`);
  return survivors.length === 0;
}

async function isNoticed(copy: string, mutation: Mutation): Promise<boolean> {
  const tests = mutation.tests.join(" ");
  let passes = sound.get(tests);
  if (passes === undefined) sound.set(tests, (passes = passUnchanged(copy, mutation.tests)));
  if (!(await passes)) return false;
  const path = join(copy, mutation.file);
  const text = readFileSync(path, "utf8");
  try {
    writeFileSync(path, applyMutation(text, mutation));
    const { passed } = await runTestsOf(copy, mutation.tests);
    console.log(`${passed ? "✖ survived" : "✔ noticed"} ${describe(mutation)}`);
    return !passed;
  } finally {
    writeFileSync(path, text);
  }
}

async function passUnchanged(copy: string, tests: readonly string[]): Promise<boolean> {
  const { passed, output } = await runTestsOf(copy, tests);
  if (!passed) console.log(`✖ these tests fail without any change: ${tests.join(" ")}\n${output}`);
  return passed;
}

function describe({ file, from, to }: Mutation): string {
  return `${file}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`;
}
