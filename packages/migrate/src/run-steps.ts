/** Carries out a run, one version a transaction. */
import type { MigrationSession } from "riverqueue/driver";
import type { RunLimits } from "./check-options.ts";
import { type FailureContext, migrationFailure } from "./migration-failure.ts";
import type { MigrationLine } from "./migration-line.ts";
import type { Migration, MigrationDirection } from "./migration.ts";
import type { MigrateVersion } from "./migrator.ts";
import { stepLimit } from "./plan-steps.ts";
import { inWriteTransaction } from "./write-transaction.ts";

/** What a run is about. */
export interface Run {
  readonly line: MigrationLine;
  readonly direction: MigrationDirection;
  readonly limits: RunLimits;
  readonly context: FailureContext;
}

/**
 * Runs steps until none is left, and tells which they were. Every step is planned anew under the lock, because another
 * migrator may have had its turn since the one before.
 */
export async function runSteps(session: MigrationSession, run: Run): Promise<MigrateVersion[]> {
  const versions: MigrateVersion[] = [];
  for (;;) {
    const limit = stepLimit(run.direction, run.limits);
    const maxSteps = limit === undefined ? undefined : limit - versions.length;
    const { done, isLast } = await runStep(session, { ...run, limits: { ...run.limits, maxSteps } });
    if (done !== null) versions.push(done);
    if (isLast) return versions;
  }
}

/** The version as a result lists it. */
export function describeStep(migration: Migration, direction: MigrationDirection, ms: number): MigrateVersion {
  const duration = Temporal.Duration.from({ microseconds: Math.round(ms * 1000) }).round({ largestUnit: "seconds" });
  const { version, name } = migration;
  return { version, name, sql: direction === "up" ? migration.upSql : migration.downSql, duration };
}

interface StepResult {
  /** Null when another migrator left nothing to do. */
  readonly done: MigrateVersion | null;
  readonly isLast: boolean;
}

async function runStep(session: MigrationSession, { line, direction, limits, context }: Run): Promise<StepResult> {
  const started = performance.now();
  let migration: Migration | undefined;
  try {
    const steps = await inWriteTransaction(session, line.backend, async () => {
      const plan = await line.plan(session, direction, limits);
      migration = plan[0];
      if (migration !== undefined) await changeSchema(session, line, direction, migration);
      return plan.length;
    });
    if (migration === undefined) return { done: null, isLast: true };
    return { done: describeStep(migration, direction, performance.now() - started), isLast: steps === 1 };
  } catch (error) {
    if (migration === undefined) throw error;
    throw migrationFailure(error, context, `version ${migration.version} ${direction} failed`);
  }
}

async function changeSchema(
  session: MigrationSession,
  line: MigrationLine,
  direction: MigrationDirection,
  migration: Migration,
): Promise<void> {
  if (direction === "up") {
    await session.execute(migration.upSql);
    await line.records.add(session, migration.version);
  } else {
    await session.execute(migration.downSql);
    await line.records.remove(session, migration.version);
  }
}
