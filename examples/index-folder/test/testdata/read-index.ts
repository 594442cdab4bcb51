/** Reads the database of the demo. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { LeasedPostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";

/** A row of `files`. */
export interface IndexedFile {
  readonly path: string | Uint8Array;
  readonly size: number;
  readonly lines: number | null;
  readonly sha256: string | null;
  readonly compression_ratio: number | null;
  readonly indexed_count: number;
}

/** A job, as far as tests look at it. */
export interface StoredJob {
  readonly kind: string;
  readonly state: string;
  readonly attempt: number;
  readonly errors: number;
}

/** What the database in the folder `here` holds. */
export interface Index {
  readonly files: readonly IndexedFile[];
  readonly jobs: readonly StoredJob[];
}

/** Reads files by path and jobs by ID. */
export function readIndex(here: string): Index {
  return withIndex(here, (database) => ({
    files: database.prepare("select * from files order by path").all() as unknown as IndexedFile[],
    jobs: database
      .prepare(
        "select kind, state, attempt, coalesce(json_array_length(errors), 0) as errors from river_job order by id",
      )
      .all() as unknown as StoredJob[],
  }));
}

/** The same of a Postgres database; figures that `pg` reads as text are numbers. */
export async function readPostgresIndex(lease: LeasedPostgresDatabase): Promise<Index> {
  const files = await lease.query(
    `select path, size::int, lines::int, sha256, compression_ratio, indexed_count
     from river_index_folder.files order by path`,
  );
  const jobs = await lease.query(
    `select kind, state::text, attempt::int, coalesce(cardinality(errors), 0) as errors
     from river_index_folder.river_job order by id`,
  );
  return { files, jobs } as unknown as Index;
}

/** Runs a function on the database in the folder `here`. */
export function withIndex<Result>(here: string, use: (database: DatabaseSync) => Result): Result {
  using database = new DatabaseSync(join(here, "demo.db"), { timeout: 5000 });
  return use(database);
}

/** Jobs of a kind that are not finalized. */
export function unfinished(jobs: readonly StoredJob[]): readonly StoredJob[] {
  return jobs.filter(({ state }) => !["completed", "cancelled", "discarded"].includes(state));
}
