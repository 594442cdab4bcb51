// Runs test files in a copy of the repository.
import { spawn } from "node:child_process";

/** How it went: a failed test, and a run that does not end in time, both tell that the tests noticed. */
export interface TestRun {
  readonly passed: boolean;
  readonly output: string;
}

const LIMIT_MS = 180_000;

/** Runs the files below `root`, to their end or to the first test that fails. */
export function runTestsOf(root: string, files: readonly string[]): Promise<TestRun> {
  const options = ["--conditions=@riverqueue/source", "--test", "--test-reporter=tap"];
  const child = spawn(process.execPath, [...options, "--test-concurrency=2", "--test-timeout=60000", ...files], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that what its tests start ends with it.
    detached: true,
    env: { ...process.env, RIVER_TEST_SCALE: "20", CI: "1" },
  });
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  process.once("exit", end);
  let output = "";
  const note = (text: string): void => {
    output += text;
    if (/^\s*not ok /m.test(output)) end();
  };
  child.stdout.setEncoding("utf8").on("data", note);
  child.stderr.setEncoding("utf8").on("data", note);
  return new Promise((resolve, reject) => {
    const limit = setTimeout(end, LIMIT_MS);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(limit);
      process.off("exit", end);
      resolve({ passed: code === 0, output });
    });
  });
}
