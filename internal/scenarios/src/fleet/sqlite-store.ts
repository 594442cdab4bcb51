/** A fleet's database in an SQLite file. */
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { SqliteDriver, transaction } from "@riverqueue/driver-sqlite";
import type { AttemptEnd } from "./attempt-plan.ts";
import type { FleetRecord, FleetStore } from "./fleet-store.ts";

/** Several processes write all the time; whoever waits for the lock waits without blocking its event loop. */
const PATIENCE = { busyTimeout: { minutes: 1 } };

const RESCUES = (row: string): string => `json_extract(${row}.metadata, '$."river:rescue_count"')`;
const NOTE = (row: string): string => `
  INSERT INTO fleet_step (job_id, state_before, state_after, attempt, client_id, rescued, token) VALUES (
    NEW.id, OLD.state, NEW.state, ${row}.attempt, json_extract(${row}.attempted_by, '$[#-1]'),
    ${RESCUES("OLD")} IS NOT ${RESCUES("NEW")}, json_extract(NEW.metadata, '$.token')
  );`;

const SET_UP = `
  CREATE TABLE fleet_call (
    id INTEGER PRIMARY KEY, token TEXT UNIQUE NOT NULL, job_id INTEGER NOT NULL, attempt INTEGER NOT NULL,
    client_id TEXT NOT NULL, end_planned TEXT NOT NULL
  );
  CREATE TABLE fleet_step (
    id INTEGER PRIMARY KEY, job_id INTEGER NOT NULL, state_before TEXT NOT NULL, state_after TEXT NOT NULL,
    attempt INTEGER NOT NULL, client_id TEXT, rescued INTEGER NOT NULL, token TEXT
  );
  CREATE TRIGGER fleet_note_claim AFTER UPDATE ON river_job WHEN OLD.state IS NOT NEW.state AND NEW.state = 'running'
    BEGIN ${NOTE("NEW")} END;
  CREATE TRIGGER fleet_note_step AFTER UPDATE ON river_job WHEN OLD.state IS NOT NEW.state AND NEW.state <> 'running'
    BEGIN ${NOTE("OLD")} END;`;

type Row = Record<string, SQLOutputValue>;

/** Opens it. */
export function openSqliteStore(path: string): FleetStore {
  const database = new DatabaseSync(path, { timeout: 0 });
  const driver = new SqliteDriver(database, PATIENCE);
  const own = driver.connect();
  const all = (text: string): Row[] => own.prepare(text).all();
  return {
    driver,
    async setUp() {
      own.exec(SET_UP);
    },
    async recordCalls(calls) {
      await transaction(
        own,
        () => {
          const insert = own.prepare(
            "INSERT INTO fleet_call (token, job_id, attempt, client_id, end_planned) VALUES (?, ?, ?, ?, ?)",
          );
          for (const { token, jobId, attempt, clientId, end } of calls) {
            insert.run(token, jobId, attempt, clientId, end);
          }
        },
        PATIENCE,
      );
    },
    async count(state) {
      const where = state === "running" ? "state = 'running'" : "finalized_at IS NULL";
      return Number(all(`SELECT count(*) AS n FROM river_job WHERE ${where}`)[0]?.["n"]);
    },
    async shortenLease(clientId, leftMs) {
      await transaction(
        own,
        () => {
          own
            .prepare("UPDATE river_leader SET expires_at = strftime('%Y-%m-%d %H:%M:%f', 'now', ?) WHERE leader_id = ?")
            .run(`+${leftMs / 1_000} seconds`, clientId);
        },
        PATIENCE,
      );
    },
    lent: () => 0,
    read: async () => readAll(all),
    async close() {
      own.close();
      driver.close();
      database.close();
    },
  };
}

function readAll(all: (text: string) => Row[]): FleetRecord {
  return {
    calls: all("SELECT * FROM fleet_call ORDER BY id").map((row) => ({
      token: String(row["token"]),
      jobId: BigInt(Number(row["job_id"])),
      attempt: Number(row["attempt"]),
      clientId: String(row["client_id"]),
      end: String(row["end_planned"]) as AttemptEnd,
    })),
    steps: all("SELECT * FROM fleet_step ORDER BY id").map((row) => ({
      jobId: BigInt(Number(row["job_id"])),
      from: String(row["state_before"]),
      to: String(row["state_after"]),
      attempt: Number(row["attempt"]),
      clientId: textOrNull(row["client_id"]),
      rescued: row["rescued"] === 1,
      token: textOrNull(row["token"]),
    })),
    jobs: all(
      `SELECT id, state, attempt, json_array_length(coalesce(errors, '[]')) AS errors,
         json_extract(metadata, '$.token') AS token, json_extract(metadata, '$.output') AS output
       FROM river_job ORDER BY id`,
    ).map((row) => ({
      id: BigInt(Number(row["id"])),
      state: String(row["state"]),
      attempt: Number(row["attempt"]),
      errors: Number(row["errors"]),
      token: textOrNull(row["token"]),
      output: textOrNull(row["output"]),
    })),
  };
}

function textOrNull(value: SQLOutputValue | undefined): string | null {
  return value === undefined || value === null ? null : String(value);
}
