/** Recognises database failures that a single row of a statement can have caused. */
import { DatabaseOperationError } from "./database-operation-error.ts";

/** Whether a value, size or constraint of one row may be to blame, so that the other rows would succeed without it. */
export function isRowCausedFailure(error: unknown): boolean {
  return error instanceof DatabaseOperationError && (error.details as { rowCaused?: unknown }).rowCaused === true;
}
