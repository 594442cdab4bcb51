/** A durable database with River's tables and nothing in them, for one measurement of one contender. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { Client, Pool } from "pg";
import { openOwnPostgres } from "../own-postgres.ts";
import { type Contender } from "./contender.ts";
import { Queue } from "./queue.ts";
import { RawPostgres } from "./raw-postgres.ts";
import { RawSqlite } from "./raw-sqlite.ts";
import { serverCpuUs } from "./server-cpu.ts";

/** Who is measured. */
export type Side = "queue" | "raw";

/** See the file header. */
export interface Arena {
  open(side: Side): Promise<Contender>;
  /** Makes the tables anew. No contender is open. */
  reset(): Promise<void>;
  /** Puts jobs there that nobody has claimed. */
  fill(count: number): Promise<void>;
  /** Number of jobs that are completed, or of all. */
  count(completedOnly: boolean): Promise<number>;
  /** Processor time that the server has used so far, in microseconds; null where that cannot be read. */
  serverCpuUs(): number | null;
  close(): Promise<void>;
}

/** What a server of one's own has unless it is told otherwise, since a test's server does without. */
const DURABLE = { fsync: "on", synchronous_commit: "on", full_page_writes: "on", shared_buffers: "512MB" };

/** On the server of DATABASE_URL, or on one that is started; `ginIndexes` as the migrator has it. */
export async function postgresArena(ginIndexes: boolean): Promise<Arena> {
  const own = await openOwnPostgres(DURABLE);
  const admin = new Client({ connectionString: own.url });
  await admin.connect();
  const { rows: backends } = await admin.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const reset = async (): Promise<void> => {
    await admin.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await createMigrator({ client: admin }, { ginIndexes }).migrateUp();
    await admin.query("CHECKPOINT");
  };
  return {
    async open(side) {
      if (side === "raw") return RawPostgres.open(own.url);
      const pool = new Pool({ connectionString: own.url, max: 10 });
      pool.on("error", () => {});
      return new Queue(new PgDriver(pool), () => pool.end());
    },
    reset,
    async fill(count) {
      await admin.query(
        `INSERT INTO river_job (kind, args, max_attempts)
          SELECT 'noop', jsonb_build_object('n', n, 'msg', 'hello world'), 25 FROM generate_series(1, ${count}) AS n`,
      );
      await admin.query("ANALYZE river_job");
      await admin.query("CHECKPOINT");
    },
    async count(completedOnly) {
      const where = completedOnly ? " WHERE state = 'completed'" : "";
      const { rows } = await admin.query<{ n: number }>(`SELECT count(*)::int AS n FROM river_job${where}`);
      return rows[0]?.n ?? 0;
    },
    serverCpuUs: () => serverCpuUs(backends[0]?.pid),
    async close() {
      await admin.end();
      await own.close();
    },
  };
}

/** A file in the temporary folder, in WAL mode, with `synchronous` as SQLite has it: each commit waits for the disk. */
export function sqliteArena(): Arena {
  const folder = mkdtempSync(join(tmpdir(), "river-ceiling-"));
  let files = 0;
  let database: DatabaseSync | null = null;
  const current = (): DatabaseSync => {
    if (database === null) throw new Error("there are no tables yet");
    return database;
  };
  return {
    open(side) {
      if (side === "raw") return Promise.resolve(new RawSqlite(current()));
      const driver = new SqliteDriver(current());
      return Promise.resolve(new Queue(driver, () => Promise.resolve(driver.close())));
    },
    async reset() {
      database?.close();
      database = new DatabaseSync(join(folder, `${++files}.db`), { timeout: 5_000 });
      database.exec("PRAGMA journal_mode = wal");
      await createMigrator({ database }).migrateUp();
    },
    async fill(count) {
      await new RawSqlite(current()).insertMany(count);
      current().exec("PRAGMA wal_checkpoint(TRUNCATE)");
    },
    count(completedOnly) {
      const where = completedOnly ? " WHERE state = 'completed'" : "";
      const row = current().prepare(`SELECT count(*) AS n FROM river_job${where}`).get();
      return Promise.resolve(Number(row?.["n"]));
    },
    serverCpuUs: () => null,
    close() {
      database?.close();
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}
