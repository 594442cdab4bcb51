/**
 * Starts a throw-away PgBouncer in front of a Postgres server. It dies with the process that started
 * it, however that ends, and its folder with it.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { freePort } from "./free-port.ts";
import { postgresMissing } from "./postgres-database.ts";
import { serverAccount } from "./server-account.ts";
import { serverReadiness } from "./server-readiness.ts";
import { withDeadline } from "./with-deadline.ts";

/** The program, where Debian puts it. */
export const PGBOUNCER_PROGRAM = "/usr/sbin/pgbouncer";

/** Ends PgBouncer once standard input closes, which it does when the parent is gone. */
const WATCHED = `trap '' INT TERM HUP
"$1" "$2/pgbouncer.ini" &
pooler=$!
cat >/dev/null
kill -TERM $pooler 2>/dev/null
wait $pooler
rm -rf "$2"`;

/** A test that is skipped, with the reason, where PgBouncer is not installed; with `RIVER_TEST_PGBOUNCER` it fails there. */
export function pgBouncerTest(title: string, body: (t: TestContext) => Promise<void>): void {
  const missing = existsSync(PGBOUNCER_PROGRAM)
    ? postgresMissing()
    : `PgBouncer is not installed: there is no ${PGBOUNCER_PROGRAM}`;
  const skip = process.env["RIVER_TEST_PGBOUNCER"] ? false : missing;
  void test(title, { skip }, body);
}

/** Name and version of the PgBouncer that tests use. */
export function pgBouncerVersion(): string {
  return execFileSync(PGBOUNCER_PROGRAM, ["--version"], { encoding: "utf8" }).split("\n", 1).join("");
}

/** How long a client keeps a session of the server: for one transaction, or until it disconnects. */
export type PoolMode = "session" | "transaction";

/** Options of {@link startPgBouncer}. */
export interface PgBouncerOptions {
  /** Sessions of the server for each database, which all clients share. */
  readonly poolSize: number;
  /** Default `transaction`. */
  readonly mode?: PoolMode | undefined;
}

/**
 * Starts one in front of the server of `url`, for all databases of it. It ends with the test.
 *
 * @returns the address of the database of `url` through the pooler.
 */
export async function startPgBouncer(t: TestContext, url: string, options: PgBouncerOptions): Promise<{ url: string }> {
  const account = serverAccount();
  const folder = mkdtempSync(join(tmpdir(), "river-pgbouncer-"));
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
  const port = await freePort();
  writeFileSync(join(folder, "pgbouncer.ini"), settings(new URL(url), port, options), { mode: 0o644 });
  const child = spawn("/bin/sh", ["-c", WATCHED, "sh", PGBOUNCER_PROGRAM, folder], {
    ...account,
    cwd: "/",
    stdio: ["pipe", "ignore", "pipe"],
  });
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.stdin.end();
      await withDeadline(ended, "the end of PgBouncer");
    }
    rmSync(folder, { recursive: true, force: true });
  });
  await withDeadline(serverReadiness(child, "PgBouncer", "process up"), "the start of PgBouncer");
  const address = new URL(url);
  address.host = `127.0.0.1:${port}`;
  return { url: address.href };
}

function settings(server: URL, port: number, { poolSize, mode = "transaction" }: PgBouncerOptions): string {
  const login = [`user=${quote(server.username)}`, ...(server.password ? [`password=${quote(server.password)}`] : [])];
  return [
    "[databases]",
    `* = host=${server.hostname} port=${server.port || 5432} ${login.join(" ")}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    // Whoever comes is let in, and is to the server who the line above says.
    "auth_type = any",
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    "max_client_conn = 200",
    "",
  ].join("\n");
}

function quote(text: string): string {
  return `'${decodeURIComponent(text).replaceAll("'", "''")}'`;
}
