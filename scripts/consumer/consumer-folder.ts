// A folder outside of the workspace with the packages as npm would deliver them: packed, installed from the archives,
// nothing of the repository in reach. Owns that folder; what is tried in it is the tests' part.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { type PublishedPackage, publishedPackages } from "../api/published-entries.ts";

const run = promisify(execFile);

/** What a program that was run to its end has printed. */
export interface Finished {
  readonly code: number | string;
  readonly output: string;
}

/** See the file header. */
export class ConsumerFolder {
  readonly path: string;
  readonly packages: readonly PublishedPackage[];
  /** Archive of each package, by its name. */
  readonly archives: ReadonlyMap<string, string>;

  private constructor(path: string, packages: readonly PublishedPackage[], archives: ReadonlyMap<string, string>) {
    this.path = path;
    this.packages = packages;
    this.archives = archives;
  }

  /**
   * Packs the packages that are built and installs them.
   *
   * @param root Folder of the repository.
   * @param others Further packages to install, exact versions by the name to install them under.
   */
  static async make(root: string, others: Readonly<Record<string, string>>): Promise<ConsumerFolder> {
    const path = await mkdtemp(join(tmpdir(), "riverqueue-consumer-"));
    const packages = publishedPackages(root);
    const archives = await pack(root, join(path, "archives"), packages);
    const dependencies: Record<string, string> = { ...others };
    for (const [name, archive] of archives) dependencies[name] = `file:archives/${basename(archive)}`;
    const manifest = { name: "consumer", version: "1.0.0", private: true, type: "module", dependencies };
    await writeFile(join(path, "package.json"), JSON.stringify(manifest, null, 2));
    await npm(path, ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    return new ConsumerFolder(path, packages, archives);
  }

  /** Writes a file of the consumer, folders included. */
  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.path, path)), { recursive: true });
    await writeFile(join(this.path, path), text);
  }

  /** Copies a file or folder into the consumer. */
  async copy(from: string, to: string): Promise<void> {
    await cp(from, join(this.path, to), { recursive: true });
  }

  /** Runs a program in the folder to its end. A failure is a result like any other. */
  run(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Finished> {
    return run(program, args, { cwd: this.path, env: { ...plainEnvironment(), ...environment } }).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      (error: { code: number | string; stdout: string; stderr: string }) => ({
        code: error.code,
        output: error.stdout + error.stderr,
      }),
    );
  }

  /** Version of what is installed under `name`. */
  async installedVersion(name: string): Promise<string> {
    const manifest = await readFile(join(this.path, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(manifest) as { readonly version: string }).version;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

async function pack(
  root: string,
  destination: string,
  packages: readonly PublishedPackage[],
): Promise<Map<string, string>> {
  await mkdir(destination);
  const workspaces = packages.flatMap(({ name }) => ["--workspace", name]);
  await npm(root, ["pack", "--silent", "--ignore-scripts", "--pack-destination", destination, ...workspaces]);
  return new Map(
    packages.map(({ name, version }) => [
      name,
      join(destination, `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`),
    ]),
  );
}

async function npm(cwd: string, args: readonly string[]): Promise<void> {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  if (script === undefined || node === undefined) throw new Error("start this through npm: npm run test:consumer");
  await run(node, [script, ...args], { cwd, env: plainEnvironment(), maxBuffer: 64 * 1024 * 1024 });
}

/** The environment as it was before npm ran this: what it adds speaks about the repository. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const added =
    /^(?:npm_(?:package|lifecycle|command|node_execpath|execpath|config_local_prefix)|INIT_CWD$|NODE_OPTIONS$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !added.test(name)));
}
