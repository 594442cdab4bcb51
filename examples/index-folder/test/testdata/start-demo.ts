/** Starts the demo as a process of its own, and reads what it prints. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync } from "node:fs";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder, withDeadline } from "@riverqueue/internal-test-kit";

/** Longest wait for a run: that of a leader which was killed is part of it. */
const RUN_DEADLINE_MS = 90_000;

/** How a run ended, and what it said. */
export interface DemoEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** Options of {@link startDemo}. */
export interface DemoOptions {
  /** User under which it runs, where the tests run as root. */
  readonly uid?: number;
  /** Further options for node. */
  readonly execArgv?: readonly string[];
  /** No file may grow beyond this many bytes, a multiple of 512: to the demo that is a full disk. Not on Windows. */
  readonly fileSizeLimit?: number;
}

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** A run of the demo. It is killed after the test if it still runs. */
export class Demo {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #waiters = new Set<() => void>();
  #errors = "";
  readonly end: Promise<DemoEnd>;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#errors += text));
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on("line", (line) => {
        this.#lines.push(line);
        for (const wake of this.#waiters) wake();
      });
    }
    const closed = new Promise<DemoEnd>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) =>
        resolve({ code, signal, output: this.#lines.join("\n"), errors: this.#errors }),
      );
    });
    this.end = withDeadline(closed, () => `the end of the demo; it said ${this.#lines.join("\n")}${this.#errors}`, {
      deadlineMs: RUN_DEADLINE_MS,
    });
    // A test that fails before it waits for the end is told of its own failure.
    this.end.catch(() => {});
  }

  /** Resolves to the first line that matches, printed already or not. */
  async line(pattern: RegExp): Promise<string> {
    const found = (): string | undefined => this.#lines.find((line) => pattern.test(line));
    const printed = new Promise<string>((resolve) => {
      const look = (): void => {
        const line = found();
        if (line === undefined) return;
        this.#waiters.delete(look);
        resolve(line);
      };
      this.#waiters.add(look);
      look();
    });
    const ended = this.end.then(() => {
      throw new Error(`the demo ended without a line ${pattern}: ${this.#lines.join("\n")}${this.#errors}`);
    });
    return await Promise.race([printed, ended]);
  }

  /** Sends a signal. */
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

const lockFolders = new WeakMap<TestContext, string>();

/** Where the runs of a test keep their locks: not among the temporary files of everybody, where they would stay. */
function lockFolder(t: TestContext): string {
  const known = lockFolders.get(t);
  if (known !== undefined) return known;
  const folder = temporaryFolder(t);
  // Some runs are those of another user.
  chmodSync(folder, 0o777);
  lockFolders.set(t, folder);
  return folder;
}

/** Starts `npm run demo -- ARGS` as if it had been typed in the folder `here`. */
export function startDemo(t: TestContext, here: string, args: readonly string[], options: DemoOptions = {}): Demo {
  const { uid, execArgv = [], fileSizeLimit } = options;
  const command = [process.execPath, "--conditions=@riverqueue/source", ...execArgv, MAIN, ...args];
  // A limit is inherited, and the shell becomes the demo.
  if (fileSizeLimit !== undefined) command.unshift("sh", "-c", 'ulimit -f "$0" && exec "$@"', `${fileSizeLimit / 512}`);
  const [program = process.execPath, ...programArgs] = command;
  const child = spawn(program, programArgs, {
    // npm starts scripts in the folder of package.json, wherever the user is.
    cwd: "/",
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, INIT_CWD: here, TMPDIR: lockFolder(t), TEMP: lockFolder(t) },
    stdio: ["ignore", "pipe", "pipe"],
    ...(uid === undefined ? {} : { uid }),
  });
  const demo = new Demo(child);
  t.after(async () => {
    demo.kill("SIGKILL");
    await demo.end;
  });
  return demo;
}

/** Runs the demo to its end. */
export async function runDemo(
  t: TestContext,
  here: string,
  args: readonly string[],
  options?: DemoOptions,
): Promise<DemoEnd> {
  return await startDemo(t, here, args, options).end;
}
