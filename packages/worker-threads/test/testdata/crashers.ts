/** Handlers that end their threads. They load nothing of the core, because every thread that they end loads them anew. */
import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { BroadcastChannel, MessagePort } from "node:worker_threads";
import type { WorkerThreadWorkContext, WorkerThreadWorkHandler } from "../../src/index.ts";
import type { ManagedThreadWorkContext } from "../../src/managed/index.ts";

/** Name of the channel of {@link waitForWord}. */
export const WORDS = "words of the tests";

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

/** When a thread is to die, and what its handler does that leads there. */
export interface Death {
  readonly message: string;
  /** Whether the message has been sent, or what came with it done, by then. */
  readonly after: boolean;
  readonly handler: "fail" | "fail later" | "insert" | "leave behind" | "return" | "wait";
}

const DISPATCH = Symbol.for("nodejs.internal.kHybridDispatch");
type Port = Record<symbol, (data: readonly unknown[], ...others: unknown[]) => void>;

/**
 * Has the thread die before or after it sends or receives a message of some type, during this attempt or later, and does
 * what the arguments say. Its entry "idle" tells that the thread's event loop has nothing else to do any more.
 */
export async function dieAtMessage(context: ManagedThreadWorkContext): Promise<void> {
  const { message: type, after, handler } = context.job.rawArgs as unknown as Death;
  const { prototype } = MessagePort;
  // oxlint-disable-next-line typescript/unbound-method -- called with its port below
  const { postMessage } = prototype;
  prototype.postMessage = function (this: MessagePort, message: readonly unknown[]) {
    if (message[0] === "log") dieAtReceipt(this as unknown as Port, type, after);
    if (message[0] === type && !after) process.exit(9);
    postMessage.call(this, message);
    if (message[0] === type) process.exit(9);
  };
  context.logger.info("about to die");
  context.recordOutput("output");
  context.setMetadata("key", "value");
  if (handler === "fail") throw new Error("before the end");
  if (handler === "insert") await insertOne(context);
  if (handler === "fail later") setImmediate(() => raise(new Error("thrown later")));
  if (handler === "leave behind") setTimeout(() => raise(new Error("left behind")), IDLE_MS);
  if (handler === "return") setTimeout(() => context.logger.info("idle"), IDLE_MS);
  if (handler === "wait" || handler === "fail later") await new Promise<never>(() => {});
}

async function insertOne({ client }: ManagedThreadWorkContext): Promise<void> {
  const { defineJob } = await import("riverqueue");
  await client.insertMany([{ job: defineJob({ kind: "task" }), args: {} }]);
}

/** Longer than a thread waits for its next task where it is. */
const IDLE_MS = 30;

function dieAtReceipt(port: Port, type: string, after: boolean): void {
  if (Object.hasOwn(port, DISPATCH)) return;
  const dispatch = port[DISPATCH] as Port[symbol];
  port[DISPATCH] = function (this: Port, data, ...others) {
    if (data[0] === type && !after) process.exit(9);
    dispatch.call(this, data, ...others);
    if (data[0] === type) process.exit(9);
  };
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

/** Fails when its signal says so. */
export const failWhenAborted: WorkerThreadWorkHandler = ({ signal }) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

/** Succeeds, and an error of it comes up a little later. */
export const failAfterReturning: WorkerThreadWorkHandler = () => {
  setTimeout(() => raise(new Error("left behind")), 1);
};

/** Succeeds, and keeps its thread busy for ever a little later. */
export const spinAfterReturning: WorkerThreadWorkHandler = ({ logger }) => {
  setTimeout(() => {
    logger.info("spinning");
    spinForEver();
  }, 1);
};

/** Replaces what its thread goes on by, as fake clocks do, and tells when the event loop turns all the same. */
export const replaceGlobals: WorkerThreadWorkHandler = ({ logger }) => {
  setTimeout(() => logger.info("turned"), IDLE_MS);
  performance.now = () => raise(new Error("replaced"));
  globalThis.queueMicrotask = () => raise(new Error("replaced"));
  Object.assign(globalThis, { setImmediate: () => raise(new Error("replaced")) });
};

/** Closes the port of its thread as the thread tells of its end: nothing that it says afterwards arrives. */
export const closePort: WorkerThreadWorkHandler = () => {
  MessagePort.prototype.postMessage = function (this: MessagePort) {
    this.close();
  };
};

/** Succeeds; something that it has left behind ends the thread when the signal says that the attempt has ended. */
export const exitWhenFinished: WorkerThreadWorkHandler = ({ signal }) =>
  signal.addEventListener("abort", () => process.exit(5));

/** Succeeds; something that it has left behind keeps the thread busy from then on. */
export const spinWhenFinished: WorkerThreadWorkHandler = ({ signal }) => signal.addEventListener("abort", spinForEver);

/** Succeeds, and forgets a promise that rejects when the signal says that the attempt has ended. */
export const forgetWait: WorkerThreadWorkHandler = ({ signal }) => void once(new EventEmitter(), "never", { signal });

/** Succeeds, and forgets a promise that rejects with the very reason of the signal. */
export const forgetReason: WorkerThreadWorkHandler = (context) => void failWhenAborted(context);

/** Waits for a word on a channel that everybody hears, for which its thread needs nothing of the core. */
export const waitForWord: WorkerThreadWorkHandler = async ({ logger }) => {
  const channel = new BroadcastChannel(WORDS);
  const word = new Promise((resolve) => channel.addEventListener("message", resolve, { once: true }));
  logger.info("listening");
  await word;
  channel.close();
};

export const logOnce: WorkerThreadWorkHandler = ({ logger }) => logger.info("once");

/** Leaves a sign that a thread that does nothing else can see, and waits. */
export const leaveSign: WorkerThreadWorkHandler = (context) => {
  writeFileSync((context.job.rawArgs as { readonly path: string }).path, "");
  return failWhenAborted(context);
};
