/** Makes migrators, and gives each call of one a session, a snapshot and an error of the right class. */
import type { MigrationFacet, MigrationSession } from "riverqueue/driver";
import { checkMigrateOptions, checkMigratorOptions, checkValidateOptions } from "./check-options.ts";
import { loadMigrations } from "./load-migrations.ts";
import { type FailureContext, migrationFailure } from "./migration-failure.ts";
import { MigrationLine } from "./migration-line.ts";
import type { MigratorSource } from "./migration-target.ts";
import type { Migration, MigrationBackend, MigrationDirection } from "./migration.ts";
import type {
  MigrateOptions,
  MigrateResult,
  Migrator,
  MigratorOptions,
  ValidateOptions,
  ValidateResult,
} from "./migrator.ts";
import { openSource } from "./open-source.ts";
import { requireKnown } from "./plan-steps.ts";
import { describeStep, runSteps } from "./run-steps.ts";
import { inReadTransaction } from "./transaction.ts";

/**
 * Makes a migrator for a driver or for connections of the application. Nothing is read or written yet.
 *
 * @param source - a driver that can work jobs, `{ pool, schema }` or `{ client, schema }` for Postgres, where the schema
 * must exist, or `{ database }` for SQLite
 * @throws ConfigurationError when the source or an option is wrong, or for a line that is not one of `MIGRATION_LINES`
 * without migrations.
 */
export function createMigrator(source: MigratorSource, options?: MigratorOptions): Migrator {
  const facet = openSource(source);
  const { line, migrations, ginIndexes } = checkMigratorOptions(options);
  const known = migrations ?? loadMigrations(facet.backend, { line, ginIndexes });
  return new LineMigrator(facet, new MigrationLine(facet.backend, facet.schema, line, known));
}

class LineMigrator implements Migrator {
  readonly #facet: MigrationFacet;
  readonly #line: MigrationLine;

  constructor(facet: MigrationFacet, line: MigrationLine) {
    this.#facet = facet;
    this.#line = line;
  }

  get backend(): MigrationBackend {
    return this.#line.backend;
  }

  get line(): string {
    return this.#line.name;
  }

  get migrations(): readonly Migration[] {
    return this.#line.known;
  }

  migrateUp(options?: MigrateOptions): Promise<MigrateResult> {
    return this.#migrate("up", options);
  }

  migrateDown(options?: MigrateOptions): Promise<MigrateResult> {
    return this.#migrate("down", options);
  }

  async validate(options?: ValidateOptions): Promise<ValidateResult> {
    const { targetVersion } = checkValidateOptions(options);
    return this.#inSession("validate", async (session) => {
      if (targetVersion !== undefined) requireKnown(this.#line.known, targetVersion);
      const applied = new Set(await this.#readOnly(session, () => this.#line.readApplied(session)));
      const missing = this.#line.known
        .map(({ version }) => version)
        .filter((version) => !applied.has(version) && version <= (targetVersion ?? version));
      if (missing.length === 0) return { ok: true, messages: [] };
      return { ok: false, messages: [`Unapplied migrations: [${missing.join(" ")}]`] };
    });
  }

  existingVersions(): Promise<number[]> {
    return this.#inSession("existingVersions", (session) =>
      this.#readOnly(session, () => this.#line.readApplied(session)),
    );
  }

  async #migrate(direction: MigrationDirection, options: MigrateOptions | undefined): Promise<MigrateResult> {
    const { dryRun, ...limits } = checkMigrateOptions(options);
    const line = this.#line;
    return this.#inSession(direction === "up" ? "migrateUp" : "migrateDown", async (session, context) => {
      // Planned once without the write lock, so that a run with nothing to do disturbs nobody.
      const planned = await this.#readOnly(session, () => line.plan(session, direction, limits));
      if (dryRun) return { direction, versions: planned.map((step) => describeStep(step, direction, 0)) };
      if (planned.length === 0) return { direction, versions: [] };
      return { direction, versions: await runSteps(session, { line, direction, limits, context }) };
    });
  }

  #readOnly<T>(session: MigrationSession, body: () => Promise<T>): Promise<T> {
    return inReadTransaction(session, this.#line.backend, body);
  }

  async #inSession<T>(
    operation: string,
    body: (session: MigrationSession, context: FailureContext) => Promise<T>,
  ): Promise<T> {
    const context: FailureContext = { backend: this.#line.backend, operation };
    try {
      return await this.#facet.withSession((session) => body(session, context));
    } catch (error) {
      throw migrationFailure(error, context, `${operation} on line "${this.#line.name}"`);
    }
  }
}
