/** The routes of the shop. */
import type { DatabaseSync } from "node:sqlite";
import { type AsyncLogger, type Reaction, resolveFetchWorkerCtx, type WorkerCtx } from "@riverqueue/reaction";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { OrderPaid } from "./order-events.ts";
import { customerOf, inTransaction, payOrder, placeOrder } from "./shop-database.ts";

/** What the routes need. */
export interface ShopParts {
  readonly database: DatabaseSync;
  readonly reaction: Reaction<DatabaseSync>;
  readonly logs: AsyncLogger | null;
  readonly reached: (place: string) => void;
}

const Order = z.object({ customer: z.string().regex(/^[\w.-]{1,64}$/) });

/** Orders are placed with `PUT /orders/ID`, paid with `POST /orders/ID/payment`, and looked at with `GET /orders/ID`. */
export function shopRoutes({ database, reaction, logs, reached }: ShopParts): Hono {
  const shop = new Hono();

  shop.put("/orders/:id", async (c) => {
    const order = Order.safeParse(await c.req.json().catch(() => null));
    if (!order.success) return c.json({ error: "an order needs a customer" }, 400);
    await inTransaction(database, (tx) => placeOrder(tx, c.req.param("id"), order.data.customer));
    return c.json({ placed: true }, 201);
  });

  shop.post("/orders/:id/payment", async (c) => {
    const ctx = resolveFetchWorkerCtx(c);
    const orderId = c.req.param("id");
    const customer = customerOf(database, orderId);
    if (customer === null) return c.json({ error: "unknown order" }, 404);
    const event = OrderPaid.create({ idempotencyKey: `order-paid:${orderId}`, payload: { orderId, customer } });
    reached("before the payment");
    // The payment and the event are one commit: there is no paid order without its event.
    const pending = await inTransaction(database, async (tx) => {
      payOrder(tx, orderId, ctx.now());
      reached("inside the payment");
      const emitted = await reaction.processor.emit(ctx, event, { tx });
      reached("before the commit");
      return emitted;
    });
    reached("after the payment");
    const { status, commands } = await pending.settle();
    reached("before the answer");
    await track(c, ctx, orderId, status);
    // Being accepted is not being done: the role has to be there before anybody is told so.
    const role = commands.find(({ name }) => name === "grant_role")?.status ?? "unknown";
    return c.json({ status, role }, role === "succeeded" ? 200 : 202);
  });

  shop.get("/orders/:id", async (c) => {
    const orderId = c.req.param("id");
    if (customerOf(database, orderId) === null) return c.json({ error: "unknown order" }, 404);
    const { items } = await reaction.operations.listEvents({
      type: OrderPaid.type,
      idempotencyKey: `order-paid:${orderId}`,
    });
    const details = items[0] === undefined ? null : await reaction.operations.getEvent(items[0].id);
    return c.json({
      event: details?.event.status ?? null,
      commands: details?.commands.map(({ name, status, attempt }) => ({ name, status, attempt })) ?? [],
    });
  });

  async function track(c: Context, ctx: WorkerCtx, orderId: string, status: string): Promise<void> {
    logs?.forEntry(ctx).info({ orderId, status }, "an order was paid");
    await reaction.analytics?.track(ctx, {
      id: `order-paid:${orderId}`,
      name: "order_paid",
      path: c.req.path,
      referrer: c.req.header("referer"),
      host: c.req.header("host"),
    });
  }

  return shop;
}
