/** The order in which the commands of an event run: sync ones first, each kind in declared order. */
import { type CommandExecution, type CommandMode, isSettled } from "../model/command-execution.ts";

/** A copy, in that order, of commands in declared order. */
export function inRunOrder<Command extends { readonly mode: CommandMode }>(commands: readonly Command[]): Command[] {
  return commands.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ mode }: { readonly mode: CommandMode }): number {
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
