/** Handlers in threads that exit, starve or fail late, in the way that the job's arguments say. */
import { EventEmitter, once } from "node:events";
import { parentPort } from "node:worker_threads";
import type { WorkerThreadWorkContext } from "@riverqueue/worker-threads";

/** What a job asks for. */
export type Way = "exit" | "exit later" | "finish" | "forget" | "memory" | "rubbish" | "spin" | "wait";

/** Does what the argument `way` says. */
export async function act({ job, logger, signal }: WorkerThreadWorkContext): Promise<void> {
  logger.info("called");
  switch (job.rawArgs["way"] as Way) {
    case "exit":
      return process.exit(0);
    case "exit later":
      setTimeout(() => process.exit(3), 5);
      return;
    case "finish":
      return;
    case "forget":
      setTimeout(() => void Promise.reject(new Error("forgotten")), 50);
      // Does what it is asked for when the attempt ends, by rejecting.
      void once(new EventEmitter(), "never", { signal });
      return;
    case "memory":
      return exhaust();
    case "rubbish":
      for (const rubbish of [null, "done", ["done", 1, null], { type: "failed" }]) {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows of a browser
        parentPort?.postMessage(rubbish);
      }
      return;
    case "spin":
      for (;;);
    case "wait":
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  }
}

/** Computes for 90 ms. */
export function compute(): void {
  const until = performance.now() + 90;
  while (performance.now() < until);
}

function exhaust(): never {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 10_000 }, (_, n) => n * 1.5));
}
