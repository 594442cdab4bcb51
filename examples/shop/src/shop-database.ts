/**
 * The shop's own tables, beside River's and Reaction's in one SQLite file. What commands do is written here under the
 * execution id, which is the same however often a command is tried: doing it twice leaves one row.
 */
import { DatabaseSync } from "node:sqlite";
import { transaction } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";

const TABLES = `
create table if not exists orders (
  id text primary key,
  customer text not null,
  paid_at text
) strict;
create table if not exists roles (
  execution_id text primary key,
  customer text not null,
  role text not null
) strict;
create table if not exists receipts (
  execution_id text primary key,
  order_id text not null,
  address text not null
) strict;
`;

/** Brings the file up to date. Several processes may do so at the same time. */
export async function prepareDatabase(database: DatabaseSync): Promise<void> {
  await createMigrator({ database }).migrateUp();
  await createMigrator({ database }, { line: "reaction" }).migrateUp();
  database.exec(TABLES);
}

/**
 * Runs `change` in a transaction on a handle of its own: the others go on meanwhile. Whoever writes here does so in this
 * way. The handle has no timeout: SQLite would stop the event loop while it waits, and with it the transaction of another
 * request that it waits for. `transaction()` waits without.
 */
export async function inTransaction<T>(
  database: DatabaseSync,
  change: (tx: DatabaseSync) => Promise<T> | T,
): Promise<T> {
  const tx = new DatabaseSync(database.location() ?? "");
  try {
    return await transaction(tx, change);
  } finally {
    tx.close();
  }
}

/** Adds an order that nobody has paid yet; the same order again changes nothing. */
export function placeOrder(tx: DatabaseSync, id: string, customer: string): void {
  tx.prepare("insert into orders (id, customer) values (?, ?) on conflict (id) do nothing").run(id, customer);
}

/** Who ordered, or null for an unknown order. */
export function customerOf(database: DatabaseSync, id: string): string | null {
  const row = database.prepare("select customer from orders where id = ?").get(id);
  return row === undefined ? null : String(row["customer"]);
}

/** Notes the payment; the first time counts. */
export function payOrder(tx: DatabaseSync, id: string, paidAt: Date): void {
  tx.prepare("update orders set paid_at = ? where id = ? and paid_at is null").run(paidAt.toISOString(), id);
}

/** Gives a role. */
export function grantRole(tx: DatabaseSync, executionId: string, customer: string, role: string): void {
  tx.prepare(
    "insert into roles (execution_id, customer, role) values (?, ?, ?) on conflict (execution_id) do nothing",
  ).run(executionId, customer, role);
}

/** Sends a receipt: here a row stands for the mail, and the execution id for the key a mail service would take. */
export function sendReceipt(tx: DatabaseSync, executionId: string, orderId: string, address: string): void {
  tx.prepare(
    "insert into receipts (execution_id, order_id, address) values (?, ?, ?) on conflict (execution_id) do nothing",
  ).run(executionId, orderId, address);
}
