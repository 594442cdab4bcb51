/** Recognises failures of a statement that a single one of its rows can have caused. */
import { DatabaseOperationError } from "./database-operation-error.ts";
import { RiverError } from "./river-error.ts";
import { ValidationError } from "./validation-error.ts";

/**
 * Whether a value, size or constraint of one row may be to blame, so that the other rows would succeed without it. Drivers
 * translate every failure of a database, so an error that is not River's comes from building one of the values.
 */
export function isRowCausedFailure(error: unknown): boolean {
  if (error instanceof DatabaseOperationError) return (error.details as { rowCaused?: unknown }).rowCaused === true;
  return error instanceof ValidationError || !(error instanceof RiverError);
}
