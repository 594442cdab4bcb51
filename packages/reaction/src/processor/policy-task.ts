/** The messages of `async-policy-task`: each names one event execution and nothing else. */
import type { JsonValue } from "../model/json-value.ts";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The body for an event. */
export function policyTask(eventId: string): JsonValue {
  return { event: eventId };
}

/** The event that a body names; null for anything that this package would not have written. */
export function readPolicyTask(body: unknown): string | null {
  if (typeof body !== "object" || body === null || Object.keys(body).length !== 1) return null;
  const { event } = body as { readonly event?: unknown };
  return typeof event === "string" && ID.test(event) ? event : null;
}
