/** A test file whose tests pass and which leaves something behind, by the name in its argument. */
import { watch } from "node:fs";
import { createServer } from "node:net";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";

failOnLeaks();

const LONG_MS = 3_600_000;

const faults: Readonly<Record<string, () => void>> = {
  nothing() {
    setTimeout(() => {}, LONG_MS).unref();
  },
  timer() {
    setTimeout(() => {}, LONG_MS);
  },
  port() {
    new MessageChannel().port1.ref();
  },
  server() {
    createServer().listen(0);
  },
  watcher() {
    watch(import.meta.dirname, () => {});
  },
  rejection() {
    setImmediate(() => void Promise.reject(new Error("late rejection")));
  },
  exception() {
    setImmediate(() => {
      throw new Error("late exception");
    });
  },
};

test("passes", () => {
  faults[process.argv[2] ?? ""]?.();
});
