// `npm test [-- FILE… --ANY-OPTION-OF-NODE]`: the test runner of Node with this repository's settings.
//
// Files or globs that are named replace the default ones; options go to node. `--scale=N` sets RIVER_TEST_SCALE, by
// which the test kit divides the product's intervals: 20 unless set, 1 for the real ones.
import { spawn } from "node:child_process";
import { availableParallelism, constants } from "node:os";
import { resolve } from "node:path";
import { requireNode26 } from "./require-node-26.mjs";

requireNode26();
// Node.js before 22 cannot even read it.
const { endHungTests } = await import("./runner/hung-tests.ts");

const everyTest = [
  "packages/*/test/**/*.test.ts",
  "internal/*/test/**/*.test.ts",
  "examples/*/test/**/*.test.ts",
  "bench/test/**/*.test.ts",
  "scripts/*/test/**/*.test.ts",
];
const given = process.argv.slice(2);
const scale = given.findLast((arg) => arg.startsWith("--scale="))?.slice("--scale=".length);
const options = given.filter((arg) => arg.startsWith("-") && !arg.startsWith("--scale="));
const files = given.filter((arg) => !arg.startsWith("-"));

// A test that hangs must fail, and not hold up everybody until somebody looks. Real intervals take longer.
const divisor = Number(scale ?? process.env.RIVER_TEST_SCALE ?? 20);
const timeoutMs = divisor >= 20 ? 180_000 : 1_200_000;
const fileLimitMs = divisor >= 20 ? 400_000 : divisor >= 4 ? 1_500_000 : 3 * 3_600_000;

// Most of a test is waiting for databases, timers and processes.
const filesAtOnce = Math.max(4, 3 * availableParallelism());

const env = {
  ...process.env,
  // Each test file is a process, and each would strip and compile the same sources.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? resolve("node_modules", ".cache", "compiled"),
  ...(scale !== undefined && { RIVER_TEST_SCALE: scale }),
};

const child = spawn(
  process.execPath,
  [
    "--conditions=@riverqueue/source",
    "--test",
    `--test-concurrency=${filesAtOnce}`,
    `--test-timeout=${timeoutMs}`,
    "--test-global-setup=scripts/test-global-setup.mjs",
    ...options,
    ...(files.length > 0 ? files : everyTest),
  ],
  { stdio: "inherit", env },
);
// Ctrl-C reaches the child through the terminal, and this process waits for what it says; SIGTERM is passed on.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
const hungTests = endHungTests(child.pid, fileLimitMs);
child.on("exit", (code, signal) => {
  hungTests[Symbol.dispose]();
  process.exitCode = code ?? 128 + constants.signals[signal];
});
