import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";

failOnLeaks();

const root = join(import.meta.dirname, "../../..");
const page = (path: string): string => readFileSync(join(root, path), "utf8").replaceAll(/\s+/g, " ");
const howTo = page("docs/how-to/react-to-events.md");
const operating = page("docs/how-to/look-after-events.md");

test("RX-35 the documentation says what an application has to know", () => {
  for (const queue of ["async-policy-task", "async-logger", "analytics-events"]) {
    assert.match(howTo, new RegExp(`\\| \`${queue}\` +\\| \\d+ +\\| \\w`), `what ${queue} does`);
  }
  assert.match(howTo, /Put nothing of your own on the three built-in queues/);
  assert.match(howTo, /It has nothing to do with the redelivery of messages, which is a layer of its own/);
  assert.match(howTo, /Being queued is not being done/);
  assert.match(howTo, /Flows that depend on a sync command, .*? must look at its status/);
  for (const view of ["/dashboard/reaction/events", "/dashboard/reaction/commands", "listAlerts"]) {
    assert.ok(operating.includes(view), `where to look: ${view}`);
  }
});

test("RX-02 RX-13 RX-27 the documentation guides where the code cannot", () => {
  assert.match(howTo, /For asynchronous work use an async command, or a queue/);
  assert.match(
    howTo,
    /Make granting and revoking sync.*?make mail, notifications, synchronizing with others and cleaning up async/,
  );
  assert.match(howTo, /A pure notification may stop at `accepted`/);
  assert.match(operating, /neither the store nor a mark can be written/);
});

test("every alert is raised and on the operators' page, and no other is", () => {
  const model = readFileSync(join(root, "packages/reaction/src/model/alert.ts"), "utf8");
  const codes = [...model.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code]) => code);
  assert.ok(codes.length > 10);
  const raised = readdirSync(join(root, "packages/reaction/src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith("alert.ts"))
    .map((path) => readFileSync(join(root, "packages/reaction/src", path), "utf8"))
    .join();
  for (const code of codes) {
    assert.ok(operating.includes(`\`${code}\``), `${code} is explained`);
    assert.ok(raised.includes(`"${code}"`), `${code} is raised`);
  }
  const explained =
    /\| alert .*?\n\n/s.exec(readFileSync(join(root, "docs/how-to/look-after-events.md"), "utf8"))?.[0] ?? "";
  for (const [, code = ""] of explained.matchAll(/`(\w+_\w+)`/g)) assert.ok(codes.includes(code), `${code} exists`);
});

test("outside of the embedded home nothing is used that Workers lack", () => {
  const source = join(import.meta.dirname, "../src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.startsWith("embedded"),
  );
  assert.ok(files.length > 50);
  for (const path of files) {
    const code = readFileSync(join(source, path), "utf8").replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "");
    assert.doesNotMatch(code, /\bTemporal\b|\bBuffer\b|\bprocess\.|\bsetImmediate\b|\bNodeJS\b|\brequire\(/, path);
  }
});
