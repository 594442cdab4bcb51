/**
 * Starts a throw-away Postgres server: any user, no system package, a second or so. It dies with the process that
 * started it, however that ends, and its folder with it.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { freePort } from "./free-port.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./postgres-binaries.ts";
import { type Account, serverAccount } from "./server-account.ts";
import { serverReadiness } from "./server-readiness.ts";
import { withDeadline } from "./with-deadline.ts";

/** A running server. */
export interface PostgresServer {
  /** Address of its database `postgres`, as the superuser. */
  readonly url: string;
  readonly port: number;
  /** Folder with data and socket; removed at the end. */
  readonly folder: string;
  /** Restarts it on the same port with the same data; `immediate` gives no session time to end. */
  restart(mode: "fast" | "immediate"): Promise<void>;
  /** The first half of a restart: its data stays. */
  halt(mode: "fast" | "immediate"): Promise<void>;
  /** The second half of a restart. */
  resume(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

const PREFIX = "river-postgres-";
const STALE_MS = 24 * 60 * 60 * 1000;

/** Tests need no durability, and their answers must not depend on the machine's settings. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "200",
  shared_buffers: "64MB",
  timezone: "UTC",
};

/** Runs the server. Once standard input closes, which it does when the parent is gone, ends it and removes its folder. */
const WATCHED = `trap '' INT TERM HUP
folder=$1
shift
"$@" &
server=$!
order=$(cat)
[ "$order" = keep ] || kill -QUIT $server 2>/dev/null
wait $server
[ "$order" = keep ] || rm -rf "$folder"`;

/** @throws Error when no programs are found or the server does not start. */
export async function startPostgresServer(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const found = findPostgresBinaries();
  if (found === null) throw new Error("no Postgres programs were found: set DATABASE_URL");
  sweepOldFolders();
  const account = serverAccount();
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
  const binaries = readableBinaries(found, folder, account);
  const data = join(folder, "data");
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
  execFileSync(binaries.initdb, ["-D", data, ...options], { ...account, cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
  const port = await freePort();
  const all = { ...SETTINGS, unix_socket_directories: folder, port: String(port), ...settings };
  const args = ["-D", data, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  return new RunningServer(binaries.postgres, args, account, folder, port).begin();
}

class RunningServer implements PostgresServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #account: Account;
  #child: ChildProcess | null = null;

  constructor(program: string, args: readonly string[], account: Account, folder: string, port: number) {
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    this.port = port;
    this.folder = folder;
    this.#program = program;
    this.#args = args;
    this.#account = account;
  }

  async begin(): Promise<this> {
    await this.#launch();
    return this;
  }

  async restart(mode: "fast" | "immediate"): Promise<void> {
    await this.halt(mode);
    await this.resume();
  }

  async halt(mode: "fast" | "immediate"): Promise<void> {
    await this.#end(mode === "fast" ? "SIGINT" : "SIGQUIT", "keep");
  }

  async resume(): Promise<void> {
    await this.#launch();
  }

  async stop(): Promise<void> {
    await this.#end("SIGQUIT", "remove");
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #launch(): Promise<void> {
    const watched = process.platform !== "win32";
    const [command, args] = watched
      ? ["/bin/sh", ["-c", WATCHED, "sh", this.folder, this.#program, ...this.#args]]
      : [this.#program, [...this.#args]];
    const child = spawn(command, args, { ...this.#account, cwd: "/", stdio: ["pipe", "ignore", "pipe"] });
    this.#child = child;
    await withDeadline(serverReadiness(child, "Postgres", "ready to accept connections"), "the start of Postgres");
    // The server must not keep a test process alive that has nothing left to do.
    child.unref();
    for (const stream of [child.stdin, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.();
  }

  /** The shell ends once the server has, and then the next one may take the port. */
  async #end(signal: NodeJS.Signals, order: "keep" | "remove"): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const ended = once(child, "exit");
    process.kill(this.#postmaster(), signal);
    child.stdin?.end(order);
    await withDeadline(ended, "the end of Postgres");
  }

  #postmaster(): number {
    const [pid] = readFileSync(join(this.folder, "data", "postmaster.pid"), "utf8").split("\n", 1);
    return Number(pid);
  }
}

/** The programs themselves, or a copy where that account may not read them. */
function readableBinaries(binaries: PostgresBinaries, folder: string, account: Account): PostgresBinaries {
  try {
    execFileSync(binaries.postgres, ["--version"], { ...account, cwd: "/", stdio: "ignore" });
    return binaries;
  } catch {
    const root = join(folder, "programs");
    cpSync(binaries.root, root, { recursive: true, verbatimSymlinks: true });
    const copyOf = (path: string): string => join(root, "bin", basename(path));
    return { root, initdb: copyOf(binaries.initdb), postgres: copyOf(binaries.postgres) };
  }
}

/** Folders of runs that were killed so hard that nothing removed them. */
function sweepOldFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(folder).mtimeMs > STALE_MS) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another run removed it first, or it belongs to somebody else.
    }
  }
}
