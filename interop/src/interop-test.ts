/** Tests that put a River for Go process and one of ours on one database. */
import type { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { leaseSqliteDatabase, pollUntil } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresMissing } from "@riverqueue/internal-test-kit/postgres-database";
import { goMissing } from "./build-go-peer.ts";
import { PATIENCE } from "./patience.ts";
import { type Peer, spawnPeer } from "./peer.ts";
import { type Backend, BACKENDS, type PeerSide } from "./peer-values.ts";

/** A migrated database of the test's own. */
export interface InteropWorld {
  readonly backend: Backend;
  /** Address of the Postgres database, or path of the SQLite file. */
  readonly address: string;
  /** A process of that side, connected, not open yet; by another way to the database when an address is given. */
  readonly peer: (side: PeerSide, address?: string) => Promise<Peer>;
  /** Runs one statement; rows by column name. */
  readonly query: (sql: string) => Promise<Record<string, unknown>[]>;
  /** Resolves when the query's first column of its first row is true, or not zero. */
  readonly until: (sql: string, deadlineMs?: number) => Promise<void>;
}

/** Limits of a test. */
export interface InteropTestOptions {
  readonly backends?: readonly Backend[];
  /** Starts with a database that has no tables. */
  readonly empty?: boolean;
  readonly timeout?: number;
}

/**
 * The same test on every kind of database. It is skipped, with the reason, where Go or Postgres is missing; in continuous
 * integration it fails there.
 */
export function interopTest(
  title: string,
  body: (t: TestContext, world: InteropWorld) => Promise<void>,
  { backends = BACKENDS, empty = false, timeout = 300_000 }: InteropTestOptions = {},
): void {
  for (const backend of backends) {
    const reason = goMissing() || (backend === "postgres" && postgresMissing());
    const skip = process.env["CI"] ? false : reason;
    void test(`${backend}: ${title}`, { skip, timeout }, async (t) => {
      if (reason !== false) throw new Error(reason);
      await body(t, await (backend === "postgres" ? postgresWorld(t, empty) : sqliteWorld(t, empty)));
    });
  }
}

async function postgresWorld(t: TestContext, empty: boolean): Promise<InteropWorld> {
  const lease = await leasePostgresDatabase(t);
  if (empty) await lease.query("DROP SCHEMA public CASCADE");
  if (empty) await lease.query("CREATE SCHEMA public");
  return makeWorld(t, "postgres", lease.url, (sql) => lease.query(sql));
}

async function sqliteWorld(t: TestContext, empty: boolean): Promise<InteropWorld> {
  const lease = await leaseSqliteDatabase(t);
  const handle: DatabaseSync = lease.open({ timeout: 5_000 });
  if (empty) dropAll(handle);
  return makeWorld(t, "sqlite", lease.path, (sql) => Promise.resolve(handle.prepare(sql).all()));
}

function dropAll(handle: DatabaseSync): void {
  const tables = handle.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'river_%'").all();
  for (const { name } of tables) handle.exec(`DROP TABLE "${String(name)}"`);
}

function makeWorld(t: TestContext, backend: Backend, address: string, query: InteropWorld["query"]): InteropWorld {
  return {
    backend,
    address,
    query,
    async peer(side, way = address) {
      const peer = await spawnPeer(t, side);
      await peer.call("connect", { backend, address: way });
      return peer;
    },
    async until(sql, deadlineMs) {
      const isTrue = async (): Promise<boolean> => {
        const value = Object.values((await query(sql))[0] ?? {})[0];
        return value === true || (typeof value !== "boolean" && Number(value ?? 0) !== 0);
      };
      await pollUntil(isTrue, deadlineMs === undefined ? PATIENCE : { deadlineMs });
    },
  };
}
