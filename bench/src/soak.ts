/**
 * Whether a running client keeps what it has done: the heap of its process after a forced collection, when it has worked
 * so many jobs and when it has worked many more. Prints a table, and fails when the two differ by more than the tolerance.
 *
 *     node --conditions=@riverqueue/source bench/src/soak.ts [--backend=sqlite|postgres] [--jobs=200000,1000000]
 *       [--tolerance=5]
 *
 * Jobs are inserted by the same process as fast as they are worked; of a hundred, one fails for good. Somebody reads all
 * events. It works in a database of its own: a file in the temporary folder, or on the server of DATABASE_URL or one that
 * it starts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { Pool } from "pg";
import { Client, defineJob, type RegisteredTransaction, Workers } from "riverqueue";
import type { RuntimeDriver } from "riverqueue/driver";
import { openOwnPostgres } from "./own-postgres.ts";

const { values: options } = parseArgs({
  options: {
    backend: { type: "string", default: "sqlite" },
    jobs: { type: "string", default: "200000,1000000" },
    tolerance: { type: "string", default: "5" },
  },
});
const BATCH = 1_000;
/** Jobs inserted and not yet worked, at most. */
const BACKLOG = 10_000;
/** Collections until nothing more is found. */
const COLLECTIONS = 8;

/** A database of this run's own. */
interface SoakDatabase {
  readonly driver: RuntimeDriver<RegisteredTransaction>;
  /** Number of jobs in a final state. */
  readonly finished: () => Promise<number>;
  readonly close: () => Promise<void>;
}

const sizes = options.jobs.split(",").map(Number);
const database = await (options.backend === "postgres" ? openPostgres() : openSqlite());
try {
  process.exitCode = (await soak(database)) ? 0 : 1;
} finally {
  await database.close();
}

/** Works the jobs of all sizes, one after the other; whether the heap stayed within the tolerance. */
async function soak({ driver, finished }: SoakDatabase): Promise<boolean> {
  const job = defineJob<{ n: number }>()({ kind: "soak", defaults: { maxAttempts: 1 } });
  const workers = new Workers().add(job, ({ job: { args } }) => {
    if (args.n % 100 === 0) throw new Error(`job ${args.n} fails`);
  });
  const client = new Client(driver, {
    queues: { default: { maxWorkers: 1_000, fetchCooldown: { milliseconds: 5 }, pollInterval: { milliseconds: 50 } } },
    workers,
    logger: false,
  });
  let [inserted, ended] = [0, 0];
  let wake = Promise.withResolvers<void>();
  const events = client.subscribe({ kinds: ["job_completed", "job_failed"], capacity: 100_000 });
  const reading = (async () => {
    for await (const _ of events) if (++ended % BATCH === 0) wake.resolve();
  })();
  const hasBacklog = (): boolean => inserted - ended > BACKLOG;
  const run = await client.start();
  const heaps: number[] = [];
  for (const size of sizes) {
    const began = performance.now();
    const already = inserted;
    while (inserted < size) {
      const count = Math.min(BATCH, size - inserted);
      await client.insertMany(Array.from({ length: count }, (_, index) => ({ job, args: { n: inserted + index } })));
      inserted += count;
      while (hasBacklog()) {
        await wake.promise;
        wake = Promise.withResolvers();
      }
    }
    await untilFinished(finished, size);
    heaps.push(usedHeap());
    print(size, heaps, (size - already) / ((performance.now() - began) / 1_000));
  }
  await run.stop();
  await reading;
  return differenceOf(heaps) < Number(options.tolerance);
}

async function untilFinished(finished: SoakDatabase["finished"], size: number): Promise<void> {
  while ((await finished()) < size) await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Bytes, after as many collections as it takes. */
function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let n = 0; n < COLLECTIONS; n++) collect();
  return process.memoryUsage().heapUsed;
}

/** By how much the last differs from the first, in per cent. */
function differenceOf(heaps: readonly number[]): number {
  const [first = 1, last = first] = [heaps[0], heaps.at(-1)];
  return (Math.abs(last - first) / first) * 100;
}

function print(size: number, heaps: readonly number[], perSecond: number): void {
  const kibibytes = Math.round((heaps.at(-1) ?? 0) / 1024);
  const difference = differenceOf(heaps).toFixed(1);
  console.log(
    `| ${options.backend} | ${size} jobs | ${kibibytes} KiB of heap | ${difference} % | ${Math.round(perSecond)} jobs/s |`,
  );
}

async function openSqlite(): Promise<SoakDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "river-soak-"));
  const handle = new DatabaseSync(join(folder, "soak.db"), { timeout: 10_000 });
  await createMigrator({ database: handle }).migrateUp();
  const driver = new SqliteDriver(handle);
  const count = handle.prepare("SELECT count(*) AS n FROM river_job WHERE finalized_at IS NOT NULL");
  return {
    driver,
    finished: () => Promise.resolve(Number(count.get()?.["n"])),
    async close() {
      driver.close();
      handle.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openPostgres(): Promise<SoakDatabase> {
  const own = await openOwnPostgres();
  const pool = new Pool({ connectionString: own.url, max: 10 });
  pool.on("error", () => {});
  const migrating = await pool.connect();
  await createMigrator({ client: migrating }).migrateUp();
  migrating.release();
  return {
    driver: new PgDriver(pool),
    async finished() {
      const { rows } = await pool.query<{ n: number }>(
        "select count(*)::int as n from river_job where finalized_at is not null",
      );
      return rows[0]?.n ?? 0;
    },
    async close() {
      await pool.end();
      await own.close();
    },
  };
}
