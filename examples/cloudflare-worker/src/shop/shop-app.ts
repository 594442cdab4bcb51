/** The shop's routes. */
import { type EmitResult, resolveFetchWorkerCtx, ValidationError } from "@riverqueue/reaction";
import { Hono, type Context } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { HTTPException } from "hono/http-exception";
import { reaction } from "@/core/reaction";
import { OrderPaid } from "./order-paid.ts";
import type { ShopEnv } from "./shop-env.ts";
import { countReceipts } from "./shop-tables.ts";

type ShopContext = Context<{ Bindings: ShopEnv }>;

export const shopApp: Hono<{ Bindings: ShopEnv }> = new Hono<{ Bindings: ShopEnv }>();

// What can never be taken is told from what went wrong, so that a sender does not try it for ever.
shopApp.onError((error, c) => {
  if (error instanceof HTTPException) return error.getResponse();
  if (error instanceof ValidationError || error instanceof SyntaxError) return c.json({ error: error.message }, 400);
  resolveFetchWorkerCtx(c).logger.error({ error, path: c.req.path }, "a request failed");
  return c.json({ error: "something went wrong" }, 500);
});

shopApp.get("/", (c) => {
  const ctx = resolveFetchWorkerCtx(c);
  const { host, pathname: path } = new URL(c.req.url);
  const visitor = {
    address: c.req.header("cf-connecting-ip") ?? "unknown",
    userAgent: c.req.header("user-agent"),
  };
  const tracked = { host, path, visitor, referrer: c.req.header("referer") };
  ctx.waitUntil(reaction.analytics?.track(ctx, tracked) ?? Promise.resolve());
  return c.text("Welcome to the shop.\n");
});

// A payment service calls this, and calls it again until it gets an answer that it likes.
shopApp.post("/webhooks/payment", async (c) => {
  // `null` is JSON as well and has no members, which the schema of the payload is to find out.
  const { orderId, userId } = Object(await c.req.json()) as { orderId: string; userId: string };
  const event = OrderPaid.create({ idempotencyKey: `order-paid:${orderId}`, payload: { orderId, userId } });
  return answer(c, await reaction.processor.emit(resolveFetchWorkerCtx(c), event));
});

shopApp.get("/orders/:id/receipts", async (c) => c.json({ receipts: await countReceipts(c.req.param("id")) }));

shopApp.use(
  "/dashboard/*",
  bearerAuth({
    verifyToken: (token, c: ShopContext) => c.env.ADMIN_TOKEN !== undefined && token === c.env.ADMIN_TOKEN,
  }),
);
shopApp.get("/dashboard/reaction/events", async (c) => c.json(await reaction.operations.listEvents()));
shopApp.get("/dashboard/reaction/commands", async (c) => c.json(await reaction.operations.listCommands()));
shopApp.get("/dashboard/logs", async (c) => {
  const to = new Date();
  return c.json(await reaction.logs?.read({ from: new Date(to.getTime() - 3_600_000), to }));
});
shopApp.get("/dashboard/visits/:day", async (c) => {
  const day = c.req.param("day");
  return c.json(await reaction.analytics?.uniqueVisitors({ from: day, to: day }));
});

/** Being accepted says nothing about a command: what has to have happened is looked up by its name. */
function answer(c: ShopContext, { status, event, commands }: EmitResult): Response {
  const role = commands.find(({ name }) => name === "grant_role");
  if (status === "abandoned" || role?.status !== "succeeded") return c.json({ status, event: event?.id ?? null }, 503);
  return c.json({ status, event: event?.id, commands: commands.map((command) => [command.name, command.status]) });
}
