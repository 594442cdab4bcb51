import { isPromise } from "node:util/types";

/**
 * Handles the rejection of a promise that an application returned where a value is due. The promise is refused anyway, and
 * a rejection that nobody handles would end the process.
 */
export function ignoreRejection(returned: unknown): void {
  if (isPromise(returned)) returned.catch(() => {});
}
