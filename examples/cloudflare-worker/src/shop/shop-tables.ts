/** The shop's own tables, in the same database as Reaction's. */
import { env } from "cloudflare:workers";

/** Gives a role; once is enough. */
export async function giveRole(userId: string, role: string): Promise<void> {
  await run("insert into shop_role (user_id, role) values (?, ?) on conflict do nothing", userId, role);
}

/** Notes a receipt. The same execution notes one, however often it is attempted. */
export async function noteReceipt(executionId: string, orderId: string, sentAt: Date): Promise<void> {
  await run(
    "insert into shop_receipt (execution_id, order_id, sent_at) values (?, ?, ?) on conflict do nothing",
    executionId,
    orderId,
    sentAt.getTime(),
  );
}

/** How many receipts an order has. */
export async function countReceipts(orderId: string): Promise<number> {
  const [row] = await run("select count(*) as count from shop_receipt where order_id = ?", orderId);
  return Number(row?.["count"]);
}

/** Deletes old receipts. */
export async function purgeReceipts(before: Date): Promise<void> {
  await run("delete from shop_receipt where sent_at < ?", before.getTime());
}

async function run(text: string, ...values: (number | string)[]): Promise<Record<string, unknown>[]> {
  const [result] = await env.REACTION_DB.batch([env.REACTION_DB.prepare(text).bind(...values)]);
  return (result?.results ?? []) as Record<string, unknown>[];
}
