/** Somebody has paid an order: the role is given at once, the receipt is sent later. */
import { type Command, defineCommand, defineEvent, type EventType, on, type Policy } from "@riverqueue/reaction";
import { z } from "zod";
import { giveRole, noteReceipt } from "./shop-tables.ts";

type Order = { orderId: string; userId: string };

const order = z.object({ orderId: z.string(), userId: z.string() });

export const OrderPaid: EventType<Order, Order> = defineEvent({ type: "order.paid", schema: order });

/** Sync, because the caller has to know whether it succeeded. */
export const grantRole: Command<Order> = defineCommand({
  name: "grant_role",
  mode: "sync",
  schema: order,
  execute: ({ input }) => giveRole(input.userId, "customer"),
});

/** Async. A mail service would be given `executionId` as its idempotency key. */
export const sendReceipt: Command<Order> = defineCommand({
  name: "send_receipt",
  mode: "async",
  maxAttempts: 5,
  schema: order,
  async execute({ input, executionId, ctx }) {
    await noteReceipt(executionId, input.orderId, ctx.now());
    ctx.logger.info({ orderId: input.orderId }, "a receipt was sent");
  },
});

export const orderPolicy: Policy = on(OrderPaid, ({ event }) => [
  grantRole.with(event.payload),
  sendReceipt.with(event.payload),
]);
