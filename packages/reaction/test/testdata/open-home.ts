/** Homes on databases of their own, for one test each. */
import type { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { PgDriver, type PgTransaction } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator } from "@riverqueue/migrate";
import { createEmbeddedHome, type EmbeddedHome, type EmbeddedHomeOptions } from "@riverqueue/reaction/embedded";
import { listeningLogger } from "./test-ctx.ts";

/** A home and a way to look past it. */
export interface OpenHome<Tx> {
  readonly home: EmbeddedHome<Tx>;
  readonly driver: EmbeddedHomeOptions<Tx>["driver"];
  /** Path of the file, or URL. */
  readonly address: string;
  readonly rows: (text: string) => Promise<Record<string, unknown>[]>;
  /** Runs before the driver is closed, the last one first. */
  readonly beforeClose: (step: () => Promise<void>) => void;
}

type Options = Omit<EmbeddedHomeOptions<never>, "driver">;

/** On a SQLite file. */
export async function openSqliteHome(t: TestContext, options: Options = {}): Promise<OpenHome<DatabaseSync>> {
  const lease = await leaseSqliteDatabase(t);
  // Other processes write too.
  const database = lease.open({ timeout: 5000 });
  await createMigrator({ database }, { line: "reaction" }).migrateUp();
  const driver = new SqliteDriver(database);
  const home = createEmbeddedHome({ driver, logger: listeningLogger(), ...options });
  const steps: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const step of steps.toReversed()) await step();
    home.close();
    driver.close();
  });
  return {
    beforeClose: (step) => void steps.push(step),
    home,
    driver,
    address: lease.path,
    rows: (text) =>
      Promise.resolve(
        database
          .prepare(text)
          .all()
          .map((row) => ({ ...row })),
      ),
  };
}

/** On a Postgres database. */
export async function openPostgresHome(
  t: TestContext,
  options: Options = {},
): Promise<OpenHome<PgTransaction>> {
  const steps: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const step of steps.toReversed()) await step();
  });
  const lease = await leasePostgresDatabase(t);
  const pool = lease.pool({ max: 10 });
  await createMigrator({ pool }, { line: "reaction" }).migrateUp();
  const driver = new PgDriver(pool);
  const home = createEmbeddedHome({ driver, logger: listeningLogger(), ...options });
  steps.push(() => Promise.resolve(home.close()));
  return { beforeClose: (step) => void steps.push(step), home, driver, address: lease.url, rows: (text) => lease.query(text) };
}
