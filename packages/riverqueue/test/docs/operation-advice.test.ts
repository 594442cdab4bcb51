import assert from "node:assert/strict";
import test from "node:test";
import { allPages } from "./testdata/read-page.ts";

/** What somebody who runs a client must be told: where, and in which words. Words may change; the point may not vanish. */
const POINTS: readonly [point: string, page: string, words: RegExp][] = [
  [
    "observe run.completed",
    "how-to/stop-gracefully.md",
    /Watch `run\.completed`.* rejects when the runtime has failed.* Await it, or handle its rejection/,
  ],
  [
    "wire signals yourself",
    "how-to/stop-gracefully.md",
    /River installs no signal handlers.* process\.once\("SIGTERM"/,
  ],
  [
    "maxWorkers is concurrency for I/O",
    "how-to/keep-the-event-loop-free.md",
    /`maxWorkers` .*That is concurrency for I\/O.* It is not a number of threads/,
  ],
  ["sustained event-loop delay is a fault", "how-to/keep-the-event-loop-free.md", /Reports every second are a fault/],
  ["more workers do not cure it", "how-to/keep-the-event-loop-free.md", /More workers make it worse/],
  [
    "threads, processes and services cure it",
    "how-to/keep-the-event-loop-free.md",
    /into a worker thread, another process, or another service/,
  ],
  [
    "pollInterval at or above a lowered cool-down",
    "how-to/keep-the-event-loop-free.md",
    /When you lower the cooldown .* keep `pollInterval` at or above it/,
  ],
  [
    "no credentials or payloads in errors",
    "how-to/retry-snooze-and-cancel.md",
    /put no passwords, and nothing of what your customers told you, into the messages of errors/,
  ],
  ["hand the signal on", "how-to/stop-gracefully.md", /hand the signal to everything you await/],
  ["catch an abort only to clean up", "how-to/stop-gracefully.md", /catch an abort only to clean up/],
  ["somebody must be able to lead", "how-to/work-some-kinds-only.md", /Some started client must be able to lead/],
  [
    "a client with some kinds does not lead",
    "how-to/work-some-kinds-only.md",
    /a client that knows only some kinds should not lead.* knows all kinds and does not set this option/,
  ],
  [
    "scale with replicas",
    "how-to/keep-the-event-loop-free.md",
    /start more such processes.* scaling is a matter of ordinary replicas/,
  ],
];

const pages = allPages();

for (const [point, path, words] of POINTS) {
  test(`JS-115: the documentation says: ${point}`, () => {
    assert.match(pages.get(path) ?? "", words);
  });
}

test("JS-115: each page that gives advice is listed in the index", () => {
  const index = pages.get("README.md") ?? "";
  for (const path of new Set(POINTS.map(([, page]) => page))) assert.ok(index.includes(`(${path})`), path);
});
