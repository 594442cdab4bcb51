/** The store that a suite tests, and what its tests write. */
import type { LeaseParams, NewEvent, OpenParams, ReactionStore, SettleParams } from "@riverqueue/reaction";
import { timeOrderedId } from "@riverqueue/reaction/home";

/** A store on an empty database, whose clock the test moves. */
export interface StoreUnderTest {
  readonly store: ReactionStore<never>;
  /** Moves the store's clock on. */
  readonly advance: (ms: number) => void;
}

/** A test of one store. */
export type StoreTest = (subject: StoreUnderTest) => Promise<void>;

/** How long a lease of the tests lasts. */
export const LEASE_MS = 60_000;
/** When the sweeper first looks at an event of the tests. */
export const SWEEP_MS = 60_000;
/** Names of its commands. */
export const NAMES: readonly string[] = ["command_0", "command_1", "command_2"];

/** An event with one async command, unless told otherwise. */
export function newEvent(change: Partial<NewEvent> = {}, modes: readonly ("async" | "sync")[] = ["async"]): NewEvent {
  const at = new Date();
  return {
    id: timeOrderedId(at),
    type: "order.paid",
    idempotencyKey: crypto.randomUUID(),
    version: 1,
    payload: '{"orderId":"1"}',
    payloadHash: "00",
    occurredAt: at,
    sweepInMs: SWEEP_MS,
    send: false,
    commands: modes.map((mode, position) => ({
      id: timeOrderedId(at),
      position,
      name: `command_${position}`,
      mode,
      after: null,
      maxAttempts: 3,
      input: `{"position":${position}}`,
    })),
    ...change,
  };
}

/** A lease of one of its commands. */
export function leaseOf(event: NewEvent, index = 0, seenAttempt = 0, owner = "owner-a"): LeaseParams {
  const commandId = event.commands[index]?.id ?? "";
  return { eventId: event.id, commandId, owner, seenAttempt, leaseMs: LEASE_MS, sweepInMs: LEASE_MS + SWEEP_MS };
}

/** Opens it. */
export function opening(event: NewEvent, names: readonly string[] = NAMES, owner = "owner-a"): OpenParams {
  return { eventId: event.id, owner, names, leaseMs: LEASE_MS, sweepInMs: LEASE_MS + SWEEP_MS };
}

/** The end of the first attempt of one of its commands: a success, unless told otherwise. */
export function settlement(event: NewEvent, change: Partial<SettleParams> = {}, index = 0): SettleParams {
  return {
    eventId: event.id,
    commandId: event.commands[index]?.id ?? "",
    owner: "owner-a",
    attempt: 1,
    status: "succeeded",
    result: null,
    resultDropped: false,
    error: null,
    retryInMs: null,
    sweepInMs: SWEEP_MS,
    send: false,
    ...change,
  };
}

/** An operator, and the id of what she does. */
export const by = (id: string): { readonly id: string; readonly actor: string } => ({ id, actor: "ana" });
