/** A fleet's database on Postgres. */
import { PgDriver } from "@riverqueue/driver-pg";
import { Pool } from "pg";
import type { FleetCall, FleetRecord, FleetStore } from "./fleet-store.ts";

/** Connections: what a client's services need, and a few for the calls. */
const CONNECTIONS = 8;

const SET_UP = `
  CREATE TABLE fleet_call (
    id bigserial PRIMARY KEY, token text UNIQUE NOT NULL, job_id bigint NOT NULL, attempt int NOT NULL,
    client_id text NOT NULL, end_planned text NOT NULL
  );
  CREATE TABLE fleet_step (
    id bigserial PRIMARY KEY, job_id bigint NOT NULL, state_before text NOT NULL, state_after text NOT NULL,
    attempt int NOT NULL, client_id text, rescued boolean NOT NULL, token text
  );
  CREATE FUNCTION fleet_note_step() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE owner river_job := CASE WHEN NEW.state = 'running' THEN NEW ELSE OLD END;
  BEGIN
    INSERT INTO fleet_step (job_id, state_before, state_after, attempt, client_id, rescued, token) VALUES (
      NEW.id, OLD.state, NEW.state, owner.attempt, owner.attempted_by[cardinality(owner.attempted_by)],
      OLD.metadata -> 'river:rescue_count' IS DISTINCT FROM NEW.metadata -> 'river:rescue_count',
      NEW.metadata ->> 'token'
    );
    RETURN NULL;
  END $$;
  CREATE TRIGGER fleet_note_step AFTER UPDATE ON river_job FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION fleet_note_step()`;

/** Opens it. */
export function openPostgresStore(url: string): FleetStore {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS });
  // The server may end idle connections when a test is over.
  pool.on("error", () => {});
  return {
    driver: new PgDriver(pool),
    async setUp() {
      await pool.query(SET_UP);
    },
    async recordCalls(calls) {
      await pool.query(
        `INSERT INTO fleet_call (token, job_id, attempt, client_id, end_planned)
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::text[], $5::text[])`,
        columns(calls),
      );
    },
    async count(state) {
      const where = state === "running" ? "state = 'running'" : "finalized_at IS NULL";
      const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM river_job WHERE ${where}`);
      return rows[0]?.n ?? 0;
    },
    async shortenLease(clientId, leftMs) {
      await pool.query(
        `UPDATE river_leader SET expires_at = least(expires_at, now() + $2 * interval '1 millisecond')
         WHERE leader_id = $1`,
        [clientId, leftMs],
      );
    },
    lent: () => pool.totalCount - pool.idleCount,
    read: () => readAll(pool),
    close: () => pool.end(),
  };
}

function columns(calls: readonly FleetCall[]): unknown[] {
  return [
    calls.map(({ token }) => token),
    calls.map(({ jobId }) => jobId),
    calls.map(({ attempt }) => attempt),
    calls.map(({ clientId }) => clientId),
    calls.map(({ end }) => end),
  ];
}

async function readAll(pool: Pool): Promise<FleetRecord> {
  const rows = async <Row>(text: string): Promise<Row[]> => (await pool.query(text)).rows as Row[];
  const calls = await rows<FleetCall & { jobId: string }>(
    `SELECT token, job_id AS "jobId", attempt, client_id AS "clientId", end_planned AS "end" FROM fleet_call ORDER BY id`,
  );
  const steps = await rows<FleetRecord["steps"][number] & { jobId: string }>(
    `SELECT job_id AS "jobId", state_before AS "from", state_after AS "to", attempt, client_id AS "clientId", rescued, token
     FROM fleet_step ORDER BY id`,
  );
  const jobs = await rows<FleetRecord["jobs"][number] & { id: string }>(
    `SELECT id, state::text, attempt, coalesce(cardinality(errors), 0) AS errors, metadata ->> 'token' AS token,
       metadata ->> 'output' AS output FROM river_job ORDER BY id`,
  );
  return {
    calls: calls.map((row) => ({ ...row, jobId: BigInt(row.jobId) })),
    steps: steps.map((row) => ({ ...row, jobId: BigInt(row.jobId) })),
    jobs: jobs.map((row) => ({ ...row, id: BigInt(row.id) })),
  };
}
