/** Notices as the one parameter by which statements take them. */
import type { Notice } from "riverqueue/driver";

/** JSON text of an array of [topic, payload]. */
export function noticesJson(notices: readonly Notice[]): string {
  return JSON.stringify(notices.map(({ topic, payload }) => [topic, payload]));
}
