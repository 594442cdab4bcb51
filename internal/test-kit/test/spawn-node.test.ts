import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, spawnNode } from "@riverqueue/internal-test-kit";

failOnLeaks();

const echo = new URL("./testdata/echo.ts", import.meta.url);

test("a child gets its arguments and talks in lines of JSON until its input ends", async (t) => {
  const child = spawnNode(t, echo, ["a", "b"], { env: { COLOUR: "green" } });
  assert.deepEqual(await child.next(), { args: ["a", "b"], colour: "green" });
  child.send({ n: 1 });
  child.send("noise");
  child.send([null, "ü\n"]);
  assert.deepEqual(await child.next(Array.isArray), [null, "ü\n"]);
  assert.match(child.log, /^no JSON at all$/m);
  child.endInput();
  assert.deepEqual(await child.exit(), { code: 3, signal: null });
});

test("a child can be killed", async (t) => {
  const child = spawnNode(t, echo);
  await child.next();
  assert.deepEqual(await child.kill(), { code: null, signal: "SIGKILL" });
});

test("a child that still runs is killed after the test", async (t) => {
  let pid = 0;
  await t.test("leaves it running", async (inner) => {
    const child = spawnNode(inner, echo);
    pid = child.pid;
    await child.next();
  });
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});
