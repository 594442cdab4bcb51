// `node scripts/run-steps.mjs SCRIPT…`: runs npm scripts one after another, all of them even when one fails, and ends
// non-zero when any did.
import { spawnSync } from "node:child_process";

const { npm_execpath: npmScript, npm_node_execpath: npmNode } = process.env;
if (npmScript === undefined || npmNode === undefined) {
  console.error("run-steps: start this through npm, for example `npm run check`");
  process.exit(2);
}

const failed = [];
for (const step of process.argv.slice(2)) {
  const started = performance.now();
  const { status } = spawnSync(npmNode, [npmScript, "run", "--silent", step], { stdio: "inherit" });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? "✔" : "✖"} ${step} (${seconds} s)`);
  if (status !== 0) failed.push(step);
}
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
