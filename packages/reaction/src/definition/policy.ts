/** Policies: which commands an event causes. */
import { OptionProblems } from "../kit/option-problems.ts";
import type { PlannedCommand } from "./define-command.ts";
import type { EventType, ReactionEvent } from "./define-event.ts";

/** Says which commands an event causes, in order; none is an answer. What it throws makes `emit` reject. */
export type PolicyHandler<Payload> = (context: {
  readonly event: ReactionEvent<Payload>;
}) => PromiseLike<readonly PlannedCommand[]> | readonly PlannedCommand[];

/** A policy for one type of events. Made by {@link on}. */
export interface Policy {
  readonly type: string;
  readonly eventType: EventType;
  readonly decide: PolicyHandler<unknown>;
}

/**
 * Maps events of one type to commands. Several policies may be for one type; their commands follow one another.
 *
 * @throws ConfigurationError for what is no event type or no function.
 */
export function on<Input, Payload>(eventType: EventType<Input, Payload>, decide: PolicyHandler<Payload>): Policy {
  const problems = new OptionProblems();
  if (typeof (eventType as Partial<EventType> | null)?.create !== "function") {
    problems.add("eventType", "must be made by defineEvent");
  }
  problems.function(decide, "policy");
  problems.throwConfiguration();
  return Object.freeze({
    type: eventType.type,
    eventType: eventType,
    decide: decide as PolicyHandler<unknown>,
  });
}
