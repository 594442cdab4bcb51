/** A test file that blocks its process for ever is ended, and one that is young enough is not. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import test from "node:test";
import { failOnLeaks, withDeadline } from "@riverqueue/internal-test-kit";
import { endHungTests } from "../hung-tests.ts";

failOnLeaks();

const BLOCKED = "console.log('blocked'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";

async function blocked(name: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", BLOCKED, "--", name], { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  return child;
}

const skip = process.platform === "win32" && "Windows has no ps";

test("a test file whose process is blocked is ended; other children and younger ones are not", { skip }, async () => {
  const other = await blocked("server.ts");
  const file = await blocked("some/where/blocked.test.ts");
  {
    using _ = endHungTests(process.pid, 3_600_000, 1);
    using __ = endHungTests(process.pid, 0, 10);
    const [code, signal] = (await withDeadline(once(file, "exit"), "the end of the test file")) as unknown[];
    assert.deepEqual([code, signal], [null, "SIGKILL"]);
  }
  assert.equal(other.exitCode ?? other.signalCode, null);
  other.kill("SIGKILL");
  await once(other, "exit");
});
