/** The fleet's tables, through the driver's extension verbs. Knows when they are there; decides nothing. */
import type { ExtensionCall, ExtensionFacet, ExtensionResult, ExtensionStatement } from "../driver/extension-facet.ts";
import type { Backend } from "../driver/traits.ts";
import type { LeaderTerm } from "../model/leader-term.ts";
import type { AuditNote } from "./fleet-recorder.ts";
import type { FleetSettings } from "./fleet-settings.ts";
import type { FleetStatement } from "./fleet-sql.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { MinuteRow } from "./minute-counts.ts";
import * as postgresReads from "./sql/postgres/read.ts";
import * as postgresWrites from "./sql/postgres/write.ts";
import * as sqliteReads from "./sql/sqlite/read.ts";
import * as sqliteWrites from "./sql/sqlite/write.ts";

/** Parameters and columns of a statement are the same for all databases. */
type StatementName = keyof typeof postgresReads | keyof typeof postgresWrites;

const SQL: Readonly<Record<Backend, Readonly<Record<StatementName, FleetStatement>>>> = Object.freeze({
  postgres: { ...postgresReads, ...postgresWrites },
  sqlite: { ...sqliteReads, ...sqliteWrites },
});
/** Rows that one statement deletes. */
export const DELETE_LIMIT = 10_000;

type Values = ExtensionStatement["values"];

/** One row of a result, by column. */
export type FleetRow = ExtensionResult["rows"][number];

/** What a store works with. */
export interface FleetStoreParams<Tx> {
  readonly backend: Backend;
  readonly extension: ExtensionFacet<Tx>;
  /** Clock in place of the database's; null in production. */
  readonly now: (() => Temporal.Instant) | null;
}

/** See the file header. */
export class FleetStore<Tx> {
  readonly #extension: ExtensionFacet<Tx>;
  readonly #sql: (typeof SQL)[Backend];
  readonly #now: () => string | null;

  constructor({ backend, extension, now }: FleetStoreParams<Tx>) {
    this.#extension = extension;
    this.#sql = SQL[backend];
    this.#now = () => now?.().toString() ?? null;
  }

  /** Whether the line `fleet` is migrated. */
  async isMigrated(call: ExtensionCall<Tx>): Promise<boolean> {
    const [row] = await this.#run("FIND_TABLES", [], call);
    return Boolean(row?.["found"]);
  }

  /** Writes the row of a client. */
  async beat(heartbeat: Heartbeat, call: ExtensionCall<Tx>): Promise<void> {
    const { clientId, host, processId, version, runtime, state, queues, running, loopDelay, executors } = heartbeat;
    const delay = [loopDelay?.max ?? null, loopDelay?.mean ?? null, loopDelay?.p99 ?? null];
    const client = [clientId, host, processId, version, runtime, state, queues, running, ...delay, executors];
    await this.#run("BEAT", [...client, heartbeat.startedAt.toString(), this.#now()], call);
  }

  /** Deletes it. */
  async leave(clientId: string, call: ExtensionCall<Tx>): Promise<void> {
    await this.#run("LEAVE", [clientId], call);
  }

  /** Adds counts to those that are stored. */
  async addMinutes(rows: readonly MinuteRow[], call: ExtensionCall<Tx>): Promise<void> {
    const entries = rows.map(({ minuteMs, queue, kind, counts }) => [isoOf(minuteMs), queue, kind, ...counts]);
    await this.#run("ADD_MINUTES", [JSON.stringify(entries)], call);
  }

  /** Appends to the audit trail. */
  async addNotes(clientId: string, notes: readonly AuditNote[], call: ExtensionCall<Tx>): Promise<void> {
    const entries = notes.map(({ at, action, subject }) => [at.toString(), action, subject]);
    await this.#run("ADD_NOTES", [clientId, JSON.stringify(entries)], call);
  }

  /** Deletes what is past its time, some of it at least; false when there may be more. Nothing once `term` is over. */
  async deleteOld(term: LeaderTerm, settings: FleetSettings, call: ExtensionCall<Tx>): Promise<boolean> {
    const leader = [term.leaderId, term.electedAt.toString(), this.#now()];
    const deletion = (name: StatementName, retentionMs: number): ExtensionStatement =>
      this.#statement(name, [...leader, retentionMs, DELETE_LIMIT]);
    const results = await this.#extension.run(
      [
        deletion("DELETE_CLIENTS", settings.clientRetentionMs),
        deletion("DELETE_MINUTES", settings.minuteRetentionMs),
        deletion("DELETE_NOTES", settings.auditRetentionMs),
      ],
      call,
    );
    return results.every(({ changes }) => changes < DELETE_LIMIT);
  }

  /** Clients, the one heard of last first; live are those heard of within `liveMs`. */
  listClients(liveMs: number, limit: number, call: ExtensionCall<Tx>): Promise<readonly FleetRow[]> {
    return this.#run("LIST_CLIENTS", [liveMs, limit, this.#now()], call);
  }

  /** Counts, the latest minute first. */
  listMinutes(limit: number, call: ExtensionCall<Tx>): Promise<readonly FleetRow[]> {
    return this.#run("LIST_MINUTES", [limit], call);
  }

  /** How long jobs waited lately, by queue. */
  listLatencies(limit: number, call: ExtensionCall<Tx>): Promise<readonly FleetRow[]> {
    return this.#run("LIST_LATENCIES", [limit], call);
  }

  /** The audit trail, the latest first. */
  listNotes(limit: number, call: ExtensionCall<Tx>): Promise<readonly FleetRow[]> {
    return this.#run("LIST_NOTES", [limit], call);
  }

  async #run(name: StatementName, values: Values, call: ExtensionCall<Tx>): Promise<readonly FleetRow[]> {
    const [result] = await this.#extension.run([this.#statement(name, values)], call);
    return result?.rows ?? [];
  }

  #statement(name: StatementName, values: Values): ExtensionStatement {
    return { text: this.#sql[name]((table) => this.#extension.tableName(table)), values };
  }
}

function isoOf(epochMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toString();
}
