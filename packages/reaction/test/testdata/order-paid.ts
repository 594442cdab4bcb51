/** An event with a sync and an async command, whose handlers a test fills in. */
import {
  type AlertCode,
  type Command,
  type CommandContext,
  type EventType,
  type CommandOutcome,
  defineCommand,
  defineEvent,
  on,
  type PlannedCommand,
  type Policy,
} from "@riverqueue/reaction";
import { z } from "zod";

/** What a handler of a test does. */
export type Work = (context: CommandContext<{ orderId: string }>) => CommandOutcome | PromiseLike<CommandOutcome | void> | void;

/** Somebody has paid an order. */
export const OrderPaid: EventType<{ orderId: string }, { orderId: string }> = defineEvent({ type: "order.paid", schema: z.object({ orderId: z.string() }) });

/** One attempt that was made. */
export interface Attempt {
  readonly name: string;
  readonly executionId: string;
  readonly attempt: number;
}

/** Commands `grant_role` (sync) and `send_receipt` (async), and the attempts that are made of them. */
export function orderCommands(
  work: { readonly grant?: Work; readonly send?: Work } = {},
  options: Readonly<Partial<Parameters<typeof defineCommand>[0]>> = {},
): {
  readonly attempts: Attempt[];
  readonly grant: Command<{ orderId: string }>;
  readonly send: Command<{ orderId: string }>;
} {
  const attempts: Attempt[] = [];
  const schema = z.object({ orderId: z.string() });
  const noted = (name: string, handler: Work | undefined) => (context: CommandContext<{ orderId: string }>) => {
    attempts.push({ name, executionId: context.executionId, attempt: context.attempt });
    return handler?.(context);
  };
  const common = { ...options, schema };
  const grant = defineCommand({ ...common, name: "grant_role", mode: "sync", execute: noted("grant_role", work.grant) });
  const send = defineCommand({ ...common, name: "send_receipt", mode: "async", execute: noted("send_receipt", work.send) });
  return { attempts, grant, send };
}

/** The policy for orders. */
export function orderPolicy(...commands: readonly { with(input: { orderId: string }): PlannedCommand }[]): Policy {
  return on(OrderPaid, ({ event }) => commands.map((command) => command.with(event.payload)));
}

/** Keeps the codes of alerts. */
export function alertCodes(): { readonly codes: AlertCode[]; readonly alerts: (alert: { readonly code: AlertCode }) => void } {
  const codes: AlertCode[] = [];
  return { codes, alerts: ({ code }) => void codes.push(code) };
}
