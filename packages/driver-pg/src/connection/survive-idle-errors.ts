/**
 * Keeps the process alive when an idle connection of the application's pool breaks, as in an outage: a pool of `pg`
 * emits `error` then, and an `error` that nobody listens to ends the process. Listeners of the application's are called
 * as before; River finds out by itself when it next needs a connection.
 */
import type { PgPool } from "./pg-shapes.ts";

const listened = new WeakSet<PgPool>();

/** Listens once for good, however many drivers use the pool. */
export function surviveIdleErrors(pool: PgPool): void {
  if (typeof pool.on !== "function" || listened.has(pool)) return;
  listened.add(pool);
  pool.on("error", ignore);
}

function ignore(): void {}
