/**
 * Store, queue and key-value store as a processor asks them: an answer that does not come is a failure after a while, so
 * that a connection that hangs holds up no caller, no slot of a queue and no sweep. What was asked may still take effect.
 */
import type { Timing } from "../kit/timing.ts";
import { within } from "../kit/within.ts";
import type { KeyValueStore } from "../seam/key-value-store.ts";
import type { QueueSender } from "../seam/message-queue.ts";
import type { ReactionStore } from "../seam/reaction-store.ts";

/** How long one answer may take. A fifth of the usual lease, and longer than homes give their statements by default. */
export const ANSWER_MS = 12_000;

/** A write in a transaction of the caller waits as long as that does; what operators ask for takes the time it takes. */
export function boundedStore<Tx>(store: ReactionStore<Tx>, timing: Timing): ReactionStore<Tx> {
  const bounded = <T>(call: () => Promise<T>): Promise<T> => within(timing, ANSWER_MS, call);
  return {
    sendsInTransaction: store.sendsInTransaction,
    createEvent: (event, options) =>
      options?.tx === undefined ? bounded(() => store.createEvent(event)) : store.createEvent(event, options),
    readEvent: (id) => bounded(() => store.readEvent(id)),
    openEvent: (params) => bounded(() => store.openEvent(params)),
    leaseCommand: (params) => bounded(() => store.leaseCommand(params)),
    renewLease: (holder, leaseMs) => bounded(() => store.renewLease(holder, leaseMs)),
    settleCommand: (params) => bounded(() => store.settleCommand(params)),
    decideCommand: (params) => bounded(() => store.decideCommand(params)),
    markDispatched: (ids, dispatched) => bounded(() => store.markDispatched(ids, dispatched)),
    postponeSweep: (eventId, sweepInMs) => bounded(() => store.postponeSweep(eventId, sweepInMs)),
    claimSweeps: (limit) => bounded(() => store.claimSweeps(limit)),
    recordAlert: (alert) => bounded(() => store.recordAlert(alert)),
    applyRetention: (params) => store.applyRetention(params),
    listEvents: (filter) => store.listEvents(filter),
    listCommands: (filter) => store.listCommands(filter),
    listAlerts: (filter) => store.listAlerts(filter),
    listActions: (eventId) => store.listActions(eventId),
    retryCommand: (commandId, by) => store.retryCommand(commandId, by),
    completeCommand: (commandId, by) => store.completeCommand(commandId, by),
    redispatchEvent: (eventId, by) => store.redispatchEvent(eventId, by),
  };
}

/** See the file header. */
export function boundedQueue(queue: QueueSender, timing: Timing): QueueSender {
  return { send: (messages) => within(timing, ANSWER_MS, () => queue.send(messages)) };
}

/** See the file header. Deleting what has expired takes the time it takes. */
export function boundedKeyValue(keyValue: KeyValueStore, timing: Timing): KeyValueStore {
  const bounded = <T>(call: () => Promise<T>): Promise<T> => within(timing, ANSWER_MS, call);
  return {
    seeks: keyValue.seeks,
    get: (key) => bounded(() => keyValue.get(key)),
    put: (key, value, options) => bounded(() => keyValue.put(key, value, options)),
    delete: (key) => bounded(() => keyValue.delete(key)),
    list: (options) => bounded(() => keyValue.list(options)),
    deleteExpired: (limit) => keyValue.deleteExpired(limit),
  };
}
