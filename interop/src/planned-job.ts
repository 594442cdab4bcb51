/** Jobs whose arguments say what each of their attempts does. */
import type { JsonObject, JsonValue } from "riverqueue";
import type { PeerJobSpec } from "./peer-values.ts";

/** What one attempt does, at once or after it has been asked to stop. */
export type AttemptPlan = PlannedStepOfAttempt & { readonly afterAbort?: boolean };

/** Both programs know all of them, except for `discard`, which is ours. */
type PlannedStepOfAttempt =
  | { readonly do: "discard"; readonly message: string }
  | { readonly do: "complete" | "ignore" | "wait"; readonly retryMs?: number }
  | { readonly do: "cancel" | "error" | "panic"; readonly message: string; readonly retryMs?: number }
  | { readonly do: "snooze"; readonly ms: number }
  | { readonly do: "output"; readonly value: JsonValue }
  | { readonly do: "outputThenError"; readonly value: JsonValue; readonly message: string; readonly retryMs?: number }
  | { readonly do: "metadata"; readonly key: string; readonly value: JsonValue }
  | { readonly do: "completeTx"; readonly rollback?: boolean }
  | {
      readonly do: "steps";
      readonly steps: readonly PlannedStep[];
      readonly failIn?: string;
      readonly retryMs?: number;
    };

/** A resumable step; one with a cursor sets it. */
export interface PlannedStep {
  readonly name: string;
  readonly cursor?: JsonValue;
  readonly checkpoint?: boolean;
}

/** A job of that kind whose attempts do what the plan says, the last entry for all that come after it. */
export function plannedJob(
  kind: string,
  plan: readonly AttemptPlan[],
  options: Partial<PeerJobSpec> = {},
): PeerJobSpec {
  return { ...options, kind, args: { plan } as JsonObject };
}
