// A copy of the repository in which sources can be changed while others work in the original.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Copies what git knows, or would know, of `root` to `target`. Installed packages are linked; the workspaces among them
 * lead to the copy.
 */
export function copyTree(root: string, target: string): void {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  for (const path of listed.split("\0").filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(join(target, dirname(path)), { recursive: true });
    cpSync(join(root, path), join(target, path), { recursive: true, verbatimSymlinks: true });
  }
  linkInstalled(join(root, "node_modules"), join(target, "node_modules"));
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { workspaces: string[] };
  for (const folder of workspaces.flatMap((pattern) => globSync(pattern, { cwd: target })))
    linkWorkspace(root, target, folder);
}

/** Links every entry that is no workspace; scopes are folders whose entries are linked. */
function linkInstalled(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (name.startsWith("@")) linkInstalled(path, join(to, name));
    else if (!lstatSync(path).isSymbolicLink()) symlinkSync(path, join(to, name));
  }
}

function linkWorkspace(root: string, target: string, folder: string): void {
  const manifest = join(target, folder, "package.json");
  if (!existsSync(manifest)) return;
  const { name } = JSON.parse(readFileSync(manifest, "utf8")) as { name: string };
  const link = join(target, "node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  if (!existsSync(link)) symlinkSync(join(target, folder), link);
  const own = join(root, folder, "node_modules");
  if (existsSync(own)) linkInstalled(own, join(target, folder, "node_modules"));
}
