/** Handlers that end their threads. They load nothing of the core, because every thread that they end loads them anew. */
import { MessagePort } from "node:worker_threads";
import type { WorkerThreadWorkContext, WorkerThreadWorkHandler } from "../../src/index.ts";

export const nothing: WorkerThreadWorkHandler = () => {};

export const exitAtOnce: WorkerThreadWorkHandler = () => process.exit(0);

/** Ends its thread in the way that the job's tag says. */
export async function endThread({ job }: WorkerThreadWorkContext): Promise<void> {
  const { way } = job.rawArgs as { readonly way: string };
  if (way === "exit") process.exit(0);
  if (way === "throw") setImmediate(() => raise(new Error("thrown later")));
  if (way === "reject") void Promise.reject(new Error("nobody caught me"));
  if (way === "exit later") setImmediate(() => process.exit(4));
  if (way === "memory") {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, n) => n * 1.5));
  }
  // The port of the thread keeps it alive.
  await new Promise<never>(() => {});
}

/** Ends the thread before or after it sends a message of some type. */
export function dieAtMessage({ job, logger, recordOutput, setMetadata }: WorkerThreadWorkContext): void {
  const { type, after = false } = job.rawArgs as { readonly type: string; readonly after?: boolean };
  const { prototype } = MessagePort;
  // oxlint-disable-next-line typescript/unbound-method -- called with its port below
  const { postMessage } = prototype;
  prototype.postMessage = function (this: MessagePort, message: readonly unknown[]) {
    if (message[0] === type && !after) process.exit(9);
    postMessage.call(this, message);
    if (message[0] === type) process.exit(9);
  };
  logger.info("about to die");
  recordOutput("output");
  setMetadata("key", "value");
  if (type === "failed") throw new Error("before the end");
  
}


function raise(error: Error): never {
  throw error;
}

/** Succeeds, and exits before its thread can look at another message. */
export function exitAfterReturning(): void {
  queueMicrotask(() => process.exit(3));
}

/** Computes for some time. */
export function busyFor({ job }: WorkerThreadWorkContext): void {
  const until = performance.now() + (job.rawArgs as { readonly ms: number }).ms;
  while (performance.now() < until);
}

export function spinForEver(): never {
  for (;;);
}
