/** The measurements of threads run, so that they cannot rot; their figures mean nothing here. */
import assert from "node:assert/strict";
import test from "node:test";
import { spawnNode } from "@riverqueue/internal-test-kit";

test("the dispatch of empty handlers can be measured beside other pools", async (t) => {
  const child = spawnNode(t, new URL("../src/threads-dispatch.ts", import.meta.url), ["--rounds=1", "--ms=10"]);
  assert.equal((await child.exit({ deadlineMs: 150_000 })).code, 0);
  const cell = String.raw` [\d.]+k\/s \[[\d.]+–[\d.]+\], \d+ µs \|`;
  assert.equal(child.log.match(new RegExp(`^\\| [\\w, ]+ \\|${cell}${cell}$`, "gm"))?.length, 13, child.log);
  const ratios =
    /^\d+ in flight: WorkerThreads(?:, one thread)? at [\d.]+ \[[\d.]+–[\d.]+\] of (?:Piscina|Tinypool), [\w ]+$/gm;
  assert.equal(child.log.match(ratios)?.length, 40, child.log);
  assert.equal(
    child.log.match(/^\d+ in flight: WorkerThreads(?:, one thread)? at [\d.]+ of the best peer/gm)?.length,
    4,
    child.log,
  );
});

test("the delay of the event loop can be measured with handlers in process and in threads", async (t) => {
  const child = spawnNode(t, new URL("../src/threads-loop-delay.ts", import.meta.url), ["--seconds=0.3"]);
  assert.equal((await child.exit({ deadlineMs: 150_000 })).code, 0);
  assert.match(child.log, /^\| in process, computing \| [\d.]+ \| [\d.]+ \| [\d.]+ \|$/m);
  assert.match(child.log, /^\| two threads, computing \| [\d.]+ \| [\d.]+ \| [\d.]+ \|$/m);
  assert.match(child.log, /its own interval of 20 ms/);
});
