import assert from "node:assert/strict";
import test from "node:test";
import { Display } from "../src/display.ts";

/** What `write` was given, and what a terminal would show of it in the end. */
function makeOutput(isTTY: boolean): { stream: NodeJS.WriteStream; written: () => string; shown: () => string[] } {
  let written = "";
  const stream = { isTTY, write: (text: string) => ((written += text), true) } as unknown as NodeJS.WriteStream;
  const shown = (): string[] => written.split("\n").map((line) => line.split("\r\u001b[K").at(-1) ?? "");
  return { stream, written: () => written, shown };
}

test("draws a bar on a terminal, with lines above it", () => {
  const { stream, shown } = makeOutput(true);
  const display = new Display(stream);
  display.progress(0, 4);
  display.line("first");
  display.progress(4, 4);
  assert.deepEqual(shown(), ["first", `[${"#".repeat(30)}] 4 of 4 files`]);
  display.clear();
  display.line("second");
  assert.deepEqual(shown(), ["first", "second", ""]);
});

test("prints plain lines where there is no terminal, at most one per tenth", () => {
  const { stream, written } = makeOutput(false);
  const display = new Display(stream);
  for (let done = 0; done <= 1000; done++) display.progress(done, 1000);
  display.clear();
  const lines = written().trimEnd().split("\n");
  assert.equal(lines.length, 10);
  assert.equal(lines[0], "100 of 1000 files");
  assert.equal(lines[9], "1000 of 1000 files");
});
