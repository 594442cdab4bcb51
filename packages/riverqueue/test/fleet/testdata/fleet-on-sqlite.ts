/** A database with the line `fleet`, clients on it whose clock the test moves, and its tables as rows. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type LeasedSqliteDatabase, leaseSqliteDatabase, ManualClock } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import type { QueueConfig } from "../../../src/api/queue-config.ts";
import type { ClientOptions } from "../../../src/client/client-options.ts";
import {
  type ClientOnSqlite,
  type ClientOnSqliteOptions,
  clientOnSqlite,
  manualEnvironment,
} from "../../testdata/client-on-sqlite.ts";

/** See the file header. */
export interface FleetOnSqlite {
  readonly clock: ManualClock;
  readonly database: LeasedSqliteDatabase;
  /** Makes a client on it. */
  readonly client: (options?: ClientOnSqliteOptions) => Promise<ClientOnSqlite>;
  /** Brings the line up or down. */
  readonly migrate: (direction: "down" | "up") => Promise<void>;
  /** Moves the clock on until `condition` holds; fails when it has not within `limitMs` of the clock's time. */
  readonly until: (condition: () => boolean, limitMs: number) => Promise<void>;
  /** Rows of a statement. */
  readonly rows: (sql: string) => Record<string, unknown>[];
}

/** A queue that hardly polls, so that the clock may be moved far. */
export function calmQueue(maxWorkers: number = 10): QueueConfig {
  return { maxWorkers, fetchCooldown: { milliseconds: 5 }, pollInterval: { hours: 1 } };
}

const CALM: ClientOptions = {
  queues: { default: calmQueue() },
  queueControlPollInterval: { hours: 1 },
  leaderElectionDisabled: true,
};

/** The clock stands 20 seconds before the end of a minute. */
export async function fleetOnSqlite(
  t: TestContext,
  { migrated = true }: { readonly migrated?: boolean } = {},
): Promise<FleetOnSqlite> {
  const database = await leaseSqliteDatabase(t);
  const clock = new ManualClock("2026-01-02T03:04:40Z");
  const handle = database.open({ timeout: 5_000 });
  const migrate = async (direction: "down" | "up"): Promise<void> => {
    const fleet = createMigrator({ database: handle }, { line: "fleet" });
    await (direction === "up" ? fleet.migrateUp() : fleet.migrateDown());
  };
  if (migrated) await migrate("up");
  return {
    clock,
    database,
    migrate,
    async until(condition, limitMs) {
      const end = clock.monotonic() + limitMs;
      while (!condition()) {
        assert.ok(clock.monotonic() < end, `waited ${limitMs} ms in vain for ${String(condition)}`);
        await clock.advance(Math.min(limitMs / 100, 1_000));
      }
    },
    client: ({ client, ...options } = {}) =>
      clientOnSqlite(t, { database, environment: manualEnvironment(clock), client: { ...CALM, ...client }, ...options }),
    rows: (sql) =>
      handle
        .prepare(sql)
        .all()
        .map((row) => ({ ...row })),
  };
}
