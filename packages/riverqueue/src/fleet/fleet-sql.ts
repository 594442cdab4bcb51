/** Which statements there are on the tables of the migration line `fleet`. */

/** Gives a table the name by which statements reach it. */
export type TableName = (table: string) => string;

/** A statement for tables of these names. Each is described where it is written for Postgres. */
export type FleetStatement = (table: TableName) => string;

/** See the file header; one set for each kind of database. Parameters and columns are the same in all. */
export interface FleetSql {
  readonly findTables: FleetStatement;
  readonly beat: FleetStatement;
  readonly leave: FleetStatement;
  readonly addMinutes: FleetStatement;
  readonly addNotes: FleetStatement;
  readonly deleteClients: FleetStatement;
  readonly deleteMinutes: FleetStatement;
  readonly deleteNotes: FleetStatement;
  readonly listClients: FleetStatement;
  readonly listMinutes: FleetStatement;
  readonly listLatencies: FleetStatement;
  readonly listNotes: FleetStatement;
}
