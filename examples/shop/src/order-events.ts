/** What happens in the shop, and what follows from it. */
import type { DatabaseSync } from "node:sqlite";
import { defineCommand, defineEvent, type EventType, on, type Policy, succeeded } from "@riverqueue/reaction";
import { z } from "zod";
import { grantRole, inTransaction, sendReceipt } from "./shop-database.ts";

/** What is known about a paid order. */
export interface PaidOrder {
  readonly orderId: string;
  readonly customer: string;
}

/** An order was paid. Its key is the order, so paying twice is one event. */
export const OrderPaid: EventType<PaidOrder, PaidOrder> = defineEvent({
  type: "order.paid",
  schema: z.object({ orderId: z.string(), customer: z.string() }),
});

/**
 * The policies of the shop. The role is granted before the payment is answered; the receipt follows in its own time.
 *
 * @param reached - told where a command is, so that tests can end the process there.
 */
export function shopPolicies(database: DatabaseSync, reached: (place: string) => void): Policy[] {
  const grantBuyer = defineCommand({
    name: "grant_role",
    mode: "sync",
    schema: z.object({ customer: z.string(), role: z.string() }),
    execute: async ({ input, executionId }) => {
      reached("before the role");
      await inTransaction(database, (tx) => {
        grantRole(tx, executionId, input.customer, input.role);
        reached("inside the role");
      });
      reached("after the role");
      return succeeded({ result: { role: input.role } });
    },
  });
  const mailReceipt = defineCommand({
    name: "send_receipt",
    mode: "async",
    maxAttempts: 5,
    schema: z.object({ orderId: z.string(), address: z.string() }),
    execute: async ({ input, executionId }) => {
      reached("before the receipt");
      await inTransaction(database, (tx) => {
        sendReceipt(tx, executionId, input.orderId, input.address);
        reached("inside the receipt");
      });
      reached("after the receipt");
    },
  });
  return [
    on(OrderPaid, ({ event: { payload } }) => [
      grantBuyer.with({ customer: payload.customer, role: "buyer" }),
      mailReceipt.with({ orderId: payload.orderId, address: `${payload.customer}@shop.example` }),
    ]),
  ];
}
