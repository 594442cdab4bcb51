/** The order in which the commands of an event run: sync ones first, each kind in declared order. */
import { type CommandExecution, isSettled } from "../model/command-execution.ts";

/** A copy in that order. */
export function inRunOrder(commands: readonly CommandExecution[]): CommandExecution[] {
  return commands.toSorted((a, b) => rank(a) - rank(b) || a.position - b.position);
}

function rank({ mode }: CommandExecution): number {
  return mode === "sync" ? 0 : 1;
}

/** Commands that something has yet to happen to. */
export function openCommands(commands: readonly CommandExecution[]): CommandExecution[] {
  return commands.filter(({ status }) => !isSettled(status));
}

/** Whether the lease is still held, by the clock it was given by. */
export function isLeased({ lease }: CommandExecution, now: Date): boolean {
  return lease !== null && lease.expiresAt > now;
}
