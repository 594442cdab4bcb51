// Brings node_modules in line with package-lock.json: what `npm test` and `npm run demo` run first, so that a fresh
// clone needs no other command. Does nothing when the lock it installed last is the lock of now.
//
// Runs under the host's Node, 20 or newer, and uses nothing that is not part of it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const record = join(root, "node_modules", ".setup-hash");
const wanted = `${process.platform}-${process.arch} ${sha256(join(root, "package-lock.json"))}\n`;

if (recorded() !== wanted) {
  console.log("setup: installing what package-lock.json names (npm ci)");
  install();
  // npm does the same after each install, unless its user has told it to run no scripts.
  await import("./link-node.mjs");
  checkNode();
  writeFileSync(record, wanted);
}

function sha256(file) {
  // The hash is of the text, not of the line ends that a checkout may have given it.
  return createHash("sha256").update(readFileSync(file, "utf8").replaceAll("\r\n", "\n")).digest("hex");
}

function recorded() {
  try {
    return readFileSync(record, "utf8");
  } catch {
    return null;
  }
}

function install() {
  if (process.platform === "win32" && process.execPath.startsWith(join(root, "node_modules"))) {
    fail("package-lock.json has changed, and Windows cannot replace the Node that runs this. Run: npm ci");
  }
  // Development and platform packages are named, so that NODE_ENV=production or an `omit` of the user's does not drop them.
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const { npm_execpath: npmScript, npm_node_execpath: npmNode } = process.env;
  // Inside an npm script: the same npm on the Node that runs it, which is never the one that `npm ci` is about to replace.
  const [command, ...prefix] = npmScript && npmNode ? [npmNode, npmScript] : ["npm"];
  const { status, error, stdout, stderr } = spawnSync(command, [...prefix, ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: command === "npm" && process.platform === "win32",
  });
  if (status !== 0) fail(`npm ci failed: ${error?.message ?? `exit status ${status}`}\n${stdout ?? ""}${stderr ?? ""}`);
}

function checkNode() {
  const probe = spawnSync("node", ["-p", "process.versions.node"], {
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: `${join(root, "node_modules", ".bin")}${process.platform === "win32" ? ";" : ":"}${process.env.PATH}`,
    },
    shell: process.platform === "win32",
  });
  const version = probe.stdout?.trim() ?? "";
  if (!(Number.parseInt(version, 10) >= 26)) {
    fail(
      `Node.js 26 is needed, and \`node\` is ${version || "not runnable"} here. npm has a Node.js 26 for Linux (glibc), ` +
        `macOS and Windows; on ${process.platform}-${process.arch} install Node.js 26 or newer yourself.`,
    );
  }
}

function fail(message) {
  console.error(`setup: ${message.trim()}`);
  process.exit(1);
}
