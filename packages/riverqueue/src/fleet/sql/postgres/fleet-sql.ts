/** The fleet's statements on Postgres, by their names. */
import type { FleetSql } from "../../fleet-sql.ts";
import { LIST_CLIENTS, LIST_LATENCIES, LIST_MINUTES, LIST_NOTES } from "./read.ts";
import {
  ADD_MINUTES,
  ADD_NOTES,
  BEAT,
  DELETE_CLIENTS,
  DELETE_MINUTES,
  DELETE_NOTES,
  FIND_TABLES,
  LEAVE,
} from "./write.ts";

export const postgresFleetSql: FleetSql = Object.freeze({
  findTables: FIND_TABLES,
  beat: BEAT,
  leave: LEAVE,
  addMinutes: ADD_MINUTES,
  addNotes: ADD_NOTES,
  deleteClients: DELETE_CLIENTS,
  deleteMinutes: DELETE_MINUTES,
  deleteNotes: DELETE_NOTES,
  listClients: LIST_CLIENTS,
  listMinutes: LIST_MINUTES,
  listLatencies: LIST_LATENCIES,
  listNotes: LIST_NOTES,
});
