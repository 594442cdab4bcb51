/** Makes IDs for clients that are given none. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/** Longest client ID, in characters. */
export const CLIENT_ID_LIMIT = 100;
/** Characters kept of the host name. */
const HOST_LIMIT = 60;

/**
 * Host name, start time in microseconds and a random part, joined by underscores: readable in rows and unique among
 * live clients, also among those that one process starts at the same time.
 */
export function generateClientId(now: Temporal.Instant, hostName: string = hostname()): string {
  const host = hostName.replaceAll(".", "_").slice(0, HOST_LIMIT) || "unknown_host";
  const time = now.toString({ fractionalSecondDigits: 6 }).replace("Z", "").replaceAll(/[-:.]/g, "_");
  return `${host}_${time}_${randomBytes(4).toString("hex")}`;
}
