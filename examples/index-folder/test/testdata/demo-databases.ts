/** The databases that the demo works on, each for a test of its own. */
import test, { type TestContext } from "node:test";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { type Index, readIndex, readPostgresIndex, withIndex } from "./read-index.ts";

/** A database of one test. */
export interface DemoDatabase {
  /** What the demo is told about it. */
  readonly args: readonly string[];
  /** What it holds. */
  readonly read: () => Promise<Index>;
  /** Deletes all jobs, as River does with finished ones after a while. */
  readonly deleteJobs: () => Promise<unknown>;
}

/** Runs a test on SQLite and on Postgres. The folder in which the demo is to be run is given to `open`. */
export function onEachDatabase(
  title: string,
  body: (t: TestContext, open: (here: string) => Promise<DemoDatabase>) => Promise<void>,
): void {
  void test(`SQLite: ${title}`, (t) => body(t, async (here) => sqlite(here)));
  postgresTest(`Postgres: ${title}`, (t) => body(t, () => postgres(t)));
}

function sqlite(here: string): DemoDatabase {
  return {
    args: [],
    read: async () => readIndex(here),
    deleteJobs: async () => withIndex(here, (database) => database.exec("delete from river_job")),
  };
}

async function postgres(t: TestContext): Promise<DemoDatabase> {
  const lease = await leasePostgresDatabase(t);
  return {
    args: ["--database-url", lease.url],
    read: () => readPostgresIndex(lease),
    deleteJobs: () => lease.query("delete from river_index_folder.river_job"),
  };
}
