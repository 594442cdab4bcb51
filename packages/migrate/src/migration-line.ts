/** One line in one database: what is known of it, what is applied, and what a run would do. */
import type { MigrationSession } from "riverqueue/driver";
import type { RunLimits } from "./check-options.ts";
import { MigrationProblem } from "./migration-problem.ts";
import { LINES_SINCE, MigrationRecords } from "./migration-records.ts";
import { MIGRATION_LINE_MAIN, type Migration, type MigrationBackend, type MigrationDirection } from "./migration.ts";
import { planSteps } from "./plan-steps.ts";
import { renderMigration } from "./schema-template.ts";

/** See the file header. */
export class MigrationLine {
  readonly backend: MigrationBackend;
  readonly name: string;
  /** Ascending, as they run in the schema. */
  readonly known: readonly Migration[];
  readonly records: MigrationRecords;

  constructor(backend: MigrationBackend, schema: string | null, name: string, known: readonly Migration[]) {
    this.backend = backend;
    this.name = name;
    this.known = Object.freeze(known.map((migration) => renderMigration(migration, schema)));
    this.records = new MigrationRecords(backend, schema, name);
  }

  /** Applied versions, ascending. @throws MigrationProblem for a line beside `main` whose table is not there yet. */
  async readApplied(session: MigrationSession): Promise<number[]> {
    const { form, versions } = await this.records.read(session);
    if (this.name !== MIGRATION_LINE_MAIN && form !== "lines") {
      throw new MigrationProblem(
        `line "${MIGRATION_LINE_MAIN}" must be migrated to version ${LINES_SINCE} or later first`,
      );
    }
    return versions;
  }

  /** The versions that a run would apply or take out now, in order. @throws MigrationProblem */
  async plan(session: MigrationSession, direction: MigrationDirection, limits: RunLimits): Promise<Migration[]> {
    const applied = new Set(await this.readApplied(session));
    const steps = planSteps({ ...limits, direction, known: this.known, applied });
    if (direction === "down") await this.#keepOtherLines(session, steps);
    return steps;
  }

  /** Below version 5 of the main line there is nowhere to record other lines. */
  async #keepOtherLines(session: MigrationSession, steps: readonly Migration[]): Promise<void> {
    if (this.name !== MIGRATION_LINE_MAIN || !steps.some(({ version }) => version === LINES_SINCE)) return;
    const others = await this.records.otherLines(session);
    if (others.length === 0) return;
    throw new MigrationProblem(
      `cannot go below version ${LINES_SINCE} while other lines have versions applied: ` +
        others.map((line) => JSON.stringify(line)).join(", "),
    );
  }
}
