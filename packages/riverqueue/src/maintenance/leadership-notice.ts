/** What notices on the leadership topic say. Anything else, from any client, means nothing. */
import type { Notice } from "../driver/notice.ts";

/** `resigned`: the term of `leaderId` is over. `request_resign`: whoever leads is asked to resign. */
export type LeadershipNotice =
  | { readonly action: "request_resign" }
  | { readonly action: "resigned"; readonly leaderId: string };

/** The meaning of a notice, or null. */
export function readLeadershipNotice({ topic, payload }: Notice): LeadershipNotice | null {
  if (topic !== "river_leadership") return null;
  let message: unknown;
  try {
    message = JSON.parse(payload);
  } catch {
    return null;
  }
  if (typeof message !== "object" || message === null || !("action" in message)) return null;
  if (message.action === "request_resign") return { action: "request_resign" };
  if (message.action !== "resigned" || !("leader_id" in message) || typeof message.leader_id !== "string") return null;
  return { action: "resigned", leaderId: message.leader_id };
}
