import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { failOnLeaks, temporaryFolder } from "@riverqueue/internal-test-kit";
import { type Measurement, measureFile } from "../src/measure-file.ts";
import { toTimeText } from "../src/time-text.ts";

failOnLeaks();

const never = new AbortController().signal;

function measure(path: string, signal: AbortSignal = never): Promise<Measurement | null> {
  return measureFile(Buffer.from(path), signal);
}

test("measures content of any length", async (t) => {
  const folder = temporaryFolder(t);
  for (const [content, lines] of [
    ["", 0],
    ["\n", 1],
    ["a", 1],
    ["a\nb\n", 2],
    ["a\nb", 2],
    ["line\n".repeat(100_000), 100_000],
  ] as const) {
    const path = join(folder, "file");
    writeFileSync(path, content);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const measured = await measure(path);
    assert.equal(measured?.lines, lines);
    assert.equal(measured.size, BigInt(content.length));
    assert.equal(measured.sha256, createHash("sha256").update(content).digest("hex"));
    assert.equal(measured.modifiedAt, "2023-11-14T22:13:20Z");
  }
});

test("finds no file where there is none any more", { skip: process.platform === "win32" }, async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "file"), "");
  symlinkSync("file", join(folder, "link"));
  mkdirSync(join(folder, "folder"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  for (const name of ["nothing", "link", "folder", "pipe", "file/below"]) {
    assert.equal(await measure(join(folder, name)), null, name);
  }
});

test("refuses results of a file that changes while it is being read", async (t) => {
  const path = join(temporaryFolder(t), "file");
  writeFileSync(path, "");
  truncateSync(path, 256 << 20);
  const over = new AbortController();
  const measured = measure(path).finally(() => over.abort());
  measured.catch(() => {});
  for (let second = 1; !over.signal.aborted; second++) await utimes(path, second, second);
  await assert.rejects(measured, { message: "the file changed while it was being read" });
});

test("ends with the signal", async (t) => {
  const path = join(temporaryFolder(t), "file");
  writeFileSync(path, "");
  truncateSync(path, 2 ** 36);
  const stop = new AbortController();
  const measured = measure(path, stop.signal);
  stop.abort(new Error("enough"));
  await assert.rejects(measured, { name: "AbortError" });
});

test(
  "passes on what the system says about a file that cannot be read",
  { skip: process.platform !== "linux" },
  async () => {
    await assert.rejects(measure("/proc/self/mem"), { code: "EIO" });
  },
);

test("writes times of any age", () => {
  assert.equal(toTimeText(1n), "1970-01-01T00:00:00.000000001Z");
  assert.equal(toTimeText(10n ** 24n), "+275760-09-13T00:00:00Z");
  assert.equal(toTimeText(-(10n ** 24n)), "-271821-04-20T00:00:00Z");
});
