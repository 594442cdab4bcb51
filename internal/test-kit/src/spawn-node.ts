/** Child processes that run a TypeScript file of this repository and talk in lines of JSON. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { waitForItem } from "./wait-for.ts";
import { type DeadlineOptions, withDeadline } from "./with-deadline.ts";

/** How a child ended: one of the two is null. */
export interface NodeExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Options of {@link spawnNode}. */
export interface SpawnNodeOptions {
  /** Added to this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Options for node itself, before the script. */
  readonly execArgv?: readonly string[];
}

/** A running child. */
export interface SpawnedNode {
  readonly pid: number;
  /** Values that the child wrote to standard output, one line of JSON each. Ends when the child does. */
  readonly messages: AsyncIterable<unknown>;
  /** The next message that `accept` wants; those before it are dropped. */
  next<T = unknown>(accept?: (message: T) => boolean, options?: DeadlineOptions): Promise<T>;
  /** Writes a line of JSON to the child's standard input. */
  send(value: unknown): void;
  /** Closes the child's standard input. */
  endInput(): void;
  /** Sends a signal, SIGKILL unless named, and resolves when the child has ended. */
  kill(signal?: NodeJS.Signals): Promise<NodeExit>;
  /** Resolves when the child has ended and its output has been read; rejects when it has not within the deadline. */
  exit(options?: DeadlineOptions): Promise<NodeExit>;
  /** What the child wrote to standard error, and lines of standard output that are no JSON. */
  readonly log: string;
}

/**
 * Starts `script` with this process's node and the sources of the packages. The child is killed after the test if it
 * still runs; its log is among the test's output when the test fails.
 */
export function spawnNode(
  t: TestContext,
  script: string | URL,
  args: readonly string[] = [],
  { env = {}, cwd, execArgv = [] }: SpawnNodeOptions = {},
): SpawnedNode {
  const path = typeof script === "string" ? script : fileURLToPath(script);
  const child = spawn(process.execPath, ["--conditions=@riverqueue/source", ...execArgv, path, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd,
    // The test runner's own variables would make the child report to it.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
  });
  const spawned = new JsonChild(child);
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) await spawned.kill();
    if (!t.passed && spawned.log !== "") t.diagnostic(`log of ${path}:\n${spawned.log}`);
  });
  return spawned;
}

class JsonChild implements SpawnedNode {
  readonly #child: ChildProcess;
  readonly messages: AsyncIterable<unknown>;
  readonly #ended: Promise<NodeExit>;
  log = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
    // Who never waits for the end is not to be bothered with a child that could not be started.
    this.#ended.catch(() => {});
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.log += text));
    // A child that has ended takes no more input; the test sees it end.
    child.stdin?.on("error", () => {});
    this.messages = this.#readMessages();
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  next<T = unknown>(accept: (message: T) => boolean = () => true, options?: DeadlineOptions): Promise<T> {
    return waitForItem(this.messages as AsyncIterable<T>, accept, options);
  }

  send(value: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(value)}\n`);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  kill(signal: NodeJS.Signals = "SIGKILL"): Promise<NodeExit> {
    this.#child.kill(signal);
    return this.exit();
  }

  exit(options?: DeadlineOptions): Promise<NodeExit> {
    return withDeadline(this.#ended, `the end of child ${this.pid}`, options);
  }

  /** Reads on whether or not anybody waits, so that the child never blocks on a full pipe. */
  #readMessages(): AsyncIterable<unknown> {
    const stream = new ReadableStream<unknown>({
      start: (controller) => {
        if (this.#child.stdout === null) return controller.close();
        createInterface({ input: this.#child.stdout })
          .on("line", (line) => this.#readLine(line, controller))
          .on("close", () => controller.close());
      },
    });
    return stream.values({ preventCancel: true });
  }

  #readLine(line: string, controller: ReadableStreamDefaultController<unknown>): void {
    try {
      controller.enqueue(JSON.parse(line));
    } catch {
      this.log += `${line}\n`;
    }
  }
}
