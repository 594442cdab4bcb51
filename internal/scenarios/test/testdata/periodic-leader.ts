/**
 * Child process: takes part in elections and inserts a periodic job for each slot of time. Says what happens to its
 * leadership, and complaints. Arguments: address, client ID, name of this process, milliseconds of a slot, whether it polls only.
 */
import { PgDriver } from "@riverqueue/driver-pg";
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import { Pool } from "pg";
import { Client } from "riverqueue";
import { leadingOptions } from "./slots.ts";

const [, , connectionString = "", clientId = "", name = "", slotMs = "", pollOnly = ""] = process.argv;
const pool = new Pool({ connectionString });
const complain = (attributes: { readonly error?: unknown }, message: string): void =>
  say({ complaint: `${message} ${String(attributes.error)}` });
const client = new Client(new PgDriver(pool, { prepare: pollOnly === "" }), {
  ...leadingOptions(name, Number(slotMs)),
  clientId,
  pollOnly: pollOnly !== "",
  logger: { debug() {}, info() {}, warn: complain, error: complain },
});
const events = client.subscribe({ kinds: ["leader_acquired", "leader_lost"] });
const run = await client.start();
const told = (async () => {
  for await (const { kind } of events) say({ kind });
})();
await hear();
await run.stop();
await told;
await pool.end();
