/** Handlers that threads of the tests run. There is no compiled file beside this one. */
import { existsSync } from "node:fs";
import { isMainThread, parentPort } from "node:worker_threads";
import { throwables } from "@riverqueue/internal-test-kit/throwables";
import { cancel, complete, discard, type JsonObject, type JsonValue, snooze, type WorkOutcome } from "riverqueue";
import type { WorkerThreadWorkContext, WorkerThreadWorkHandler } from "../../src/index.ts";
import { shout } from "./format.js";

type Context = WorkerThreadWorkContext;
export const notAFunction = 42;

export function nothing(): void {}

export async function nothingLater(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export const echoArgs: WorkerThreadWorkHandler = ({ job }) => complete({ output: job.args as JsonValue });
export const formatted: WorkerThreadWorkHandler = () => complete({ output: shout("hello") });
export const snoozed: WorkerThreadWorkHandler = () => snooze({ hours: 1, milliseconds: 1, nanoseconds: 5 });
export const discarded: WorkerThreadWorkHandler = () => discard({ reason: "enough" });
export const cancelled: WorkerThreadWorkHandler = () => cancel({ reason: "no more" });

/** What a handler sees of where and for what it runs. */
export function whereAmI(context: Context): WorkOutcome {
  const { job, execution } = context;
  const seen = {
    isMainThread,
    members: Object.keys(context).toSorted(),
    args: job.args as JsonValue,
    rawArgs: job.rawArgs,
    attemptedBy: execution.attemptedBy,
    startedAt: execution.startedAt instanceof Temporal.Instant && execution.startedAt.toString(),
    id: typeof job.id === "bigint" && String(job.id),
    createdAt: job.createdAt instanceof Temporal.Instant && job.createdAt.toString(),
    scheduledAt: job.scheduledAt.toString(),
    errorAt: job.errors[0]?.at instanceof Temporal.Instant && job.errors[0].at.toString(),
    error: job.errors[0]?.error ?? "",
    metadata: job.metadata,
    key: job.uniqueKey instanceof Uint8Array && job.uniqueKey.length,
    columns: [job.kind, job.queue, job.state, job.priority, job.attempt, job.maxAttempts, job.finalizedAt],
    lists: [job.tags, job.attemptedBy, job.uniqueStates] as JsonValue,
    left: ["client", "completeTx", "resumable"].filter((name) => name in context),
  };
  return complete({ output: seen as unknown as JsonObject });
}

/** The types of what arrived, by path. */
export function typesOfArgs({ job }: Context): WorkOutcome {
  const types: Record<string, string> = {};
  const visit = (value: unknown, path: string): void => {
    const prototype: object | null = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : null;
    types[path] = prototype === null ? typeof value : `${prototype.constructor.name} ${String(value)}`;
    if (value instanceof Map) for (const [key, inner] of value) visit(inner, `${path}<${String(key)}>`);
    if (value instanceof Set) for (const inner of value) visit(inner, `${path}<>`);
    if (Array.isArray(value) || prototype === Object.prototype) {
      for (const [key, inner] of Object.entries(value as object)) visit(inner, `${path}.${key}`);
    }
  };
  visit(job.args, "$");
  return complete({ output: types });
}

export function sendEverything({ job, logger, recordOutput, setMetadata }: Context): WorkOutcome {
  const { rawArgs } = job;
  logger.debug("plain");
  logger.info(rawArgs, "with attributes");
  logger.warn({}, "empty");
  logger.error("bad");
  recordOutput(rawArgs);
  setMetadata("copy", rawArgs);
  return complete({ output: rawArgs });
}

export function logMuch({ logger }: Context): void {
  logger.info("m".repeat(100_000));
  logger.info({ big: "b".repeat(40_000) }, "m".repeat(40_000));
  logger.info({ when: new Date() } as never, "no JSON");
  logger.info({ fits: "b".repeat(32_768 - '{"fits":""}'.length) }, "fits");
}

/** Logs with attributes that are JSON, and no object. */
export function logOddly({ logger }: Context): void {
  for (const attributes of [5, [1], true]) logger.info(attributes as never, "no object");
}

/** Returns what has the mark of an outcome and is none, by the number in the arguments. */
export function forgeOutcome({ job }: Context): WorkOutcome {
  const { n } = job.rawArgs as { readonly n: number };
  const forged = [{ type: "snooze", duration: "soon" }, { type: "snooze", duration: "-PT1H" }, { type: "other" }, {}][n];
  return { [Symbol.for("riverqueue.outcome")]: true, ...forged } as unknown as WorkOutcome;
}

/** Records what is too large or no JSON, and returns what was thrown. */
export function recordTooMuch({ recordOutput, setMetadata }: Context): WorkOutcome {
  const large = "x".repeat(33_554_432 - 2);
  const thrown: string[] = [];
  const attempt = (body: () => void): void => {
    try {
      body();
      thrown.push("nothing");
    } catch (error) {
      const { name, message, code } = error as Error & { code: string };
      thrown.push(`${name} ${code}: ${message}`);
    }
  };
  attempt(() => recordOutput(`${large}x`));
  attempt(() => setMetadata("k", `${large}x`));
  attempt(() => setMetadata("k", large.replace("xxxxx", "<xxxx")));
  attempt(() => recordOutput({ at: new Date() } as never));
  attempt(() => setMetadata("river:own", 1));
  attempt(() => setMetadata("k", { deep: [undefined] } as never));
  attempt(() => recordOutput(large));
  return complete({ output: thrown });
}

export function fail({ job }: Context): never {
  const { message, name } = job.rawArgs as { readonly message: string; readonly name?: string };
  const error = name === "TypeError" ? new TypeError(message) : new Error(message);
  if (name !== undefined && name !== "TypeError") error.name = name;
  throw error;
}

export function failAtLength(): never {
  const error = new Error("m".repeat(100_000));
  error.name = "N".repeat(1_000);
  error.stack = "s".repeat(100_000);
  throw error;
}

export function returnRubbish(): never {
  return { rows: [] } as never;
}

/** Finishes, and leaves behind what its arguments say. */
export function leaveBehind({ job, logger }: Context): void {
  const { what, afterMs = 0 } = job.rawArgs as { readonly what: string; readonly afterMs?: number };
  setTimeout(() => {
    if (what === "rejection") void Promise.reject(new Error("forgotten"));
    else if (what === "exception") raise(new Error("forgotten"));
    else if (what === "exit") process.exit(3);
    else if (what === "log") logger.info({ late: true }, "still here");
    else if (what === "spin") spinForEver();
  }, afterMs);
}

export function useFinishedContext({ recordOutput, logger, signal }: Context): void {
  setImmediate(() => {
    try {
      recordOutput("late");
    } catch (error) {
      const { name } = signal.reason as Error;
      logger.info({ thrown: (error as Error).name, aborted: signal.aborted, name }, "late");
    }
  });
}

export function postRubbish(): void {
  // oxlint-disable unicorn/require-post-message-target-origin -- the rule is about windows of a browser
  parentPort?.postMessage(["done", 1, null, 0]);
  parentPort?.postMessage({ rubbish: true });
  parentPort?.postMessage("ready");
  // oxlint-enable unicorn/require-post-message-target-origin
}

export function spin({ logger }: Context): void {
  logger.info("spinning");
  spinForEver();
}

/** Waits for its signal and stops as the arguments say. */
export async function waitForAbort({ job, signal, logger }: Context): Promise<WorkOutcome | undefined> {
  const { end = "reason" } = job.rawArgs as { readonly end?: string };
  logger.info("waiting");
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  const reason = signal.reason as Error;
  if (end === "reason") throw reason;
  if (end === "wrapped") throw new Error("gave up", { cause: reason });
  if (end === "abort error") throw new DOMException("aborted", "AbortError");
  if (end === "own error") throw new Error("something else");
  if (end === "exit") process.exit(9);
  return complete({ output: { class: reason.constructor.name, message: reason.message } });
}

/** Looks at its signal without ever letting the event loop turn. */
export function spinUntilAborted({ signal, logger }: Context): WorkOutcome {
  logger.info("spinning");
  while (!signal.aborted);
  try {
    signal.throwIfAborted();
  } catch (error) {
    return complete({ output: (error as Error).message });
  }
  return discard({ reason: "did not throw" });
}

let count = 0;
/** How often it was called in this thread. */
export function countCalls(): WorkOutcome {
  return complete({ output: ++count });
}

/** Has its thread pause between taking the next task and reading it, tell so, and go on when there is a file. */
export function pauseAfterTaking({ job, logger }: Context): void {
  const { path } = job.rawArgs as { readonly path: string };
  const { compareExchange } = Atomics;
  // oxlint-disable-next-line typescript/no-explicit-any -- it takes arrays of several types
  Atomics.compareExchange = (cells: any, index: number, expected: any, replacement: any): any => {
    const found: unknown = compareExchange(cells, index, expected, replacement);
    if (expected > 0 && replacement < 0 && found === expected) {
      Atomics.compareExchange = compareExchange;
      logger.info("taken");
      while (!existsSync(path));
    }
    return found;
  };
}

class Money {
  readonly cents: bigint;
  constructor(cents: bigint) {
    this.cents = cents;
  }
  toString(): string {
    return `${this.cents / 100n}.${this.cents % 100n}`;
  }
}

/** Makes an instance of a class of its own from what crossed. */
export function buildMoney({ job }: Context): WorkOutcome {
  return complete({ output: String(new Money(BigInt((job.rawArgs as { readonly cents: number }).cents))) });
}

function spinForEver(): never {
  for (;;);
}

function raise(error: Error): never {
  throw error;
}

export const keysOfRawArgs: WorkerThreadWorkHandler = ({ job }) => complete({ output: Object.keys(job.rawArgs) });

let zoo: ReturnType<typeof throwables> | null = null;
/** Made once a thread, because it takes a while; each of them is thrown once. */
export function throwFromZoo({ job }: Context): never {
  // oxlint-disable-next-line typescript/only-throw-error -- anything may be thrown
  throw (zoo ??= throwables())[(job.rawArgs as { readonly n: number }).n]?.value;
}
