/**
 * Child process: a client on the file of its first argument that does what its parent says.
 *
 * - `{ insertUnique: { times, keys } }`: inserts as often, with unique arguments of so many keys; answers how many of
 *   each status there were, and which ID each key got.
 * - `{ insert: count }`: inserts as many jobs in batches.
 * - `"work"`: starts working; answers once it does.
 * - `"stop"`: stops gracefully; answers the IDs of all handler calls.
 */
import { DatabaseSync } from "node:sqlite";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import type { RunHandle } from "riverqueue";
import { Client, defineJob, Workers } from "riverqueue";

interface InsertUnique {
  readonly insertUnique: { readonly times: number; readonly keys: number };
}
type Order = InsertUnique | { readonly insert: number } | "stop" | "work" | undefined;

const [path = ""] = process.argv.slice(2);
const database = new DatabaseSync(path);
const driver = new SqliteDriver(database, { busyTimeout: { minutes: 1 } });
const calls: string[] = [];
const shared = defineJob<{ n: number }>()({ kind: "shared" });
const unique = defineJob<{ key: number }>()({ kind: "unique", defaults: { unique: { byArgs: true } } });
const workers = new Workers().add(shared, ({ job }) => void calls.push(String(job.id)));
const client = new Client(driver, {
  fetchCooldown: { milliseconds: 2 },
  queues: { default: { maxWorkers: 200, pollInterval: { milliseconds: 20 } } },
  workers,
});
let run: RunHandle | null = null;

say("ready");
for (;;) {
  const order = (await hear()) as Order;
  if (order === undefined) break;
  if (order === "work") {
    run = await client.start();
    say("working");
  } else if (order === "stop") {
    await run?.stop();
    say({ calls });
    break;
  } else if ("insert" in order) {
    for (let n = 0; n < order.insert; n += 500) {
      await client.insertMany(Array.from({ length: 500 }, (_, index) => ({ job: shared, args: { n: n + index } })));
    }
    say("inserted");
  } else say(await insertUnique(order.insertUnique));
}
driver.close();
database.close();

async function insertUnique({ times, keys }: InsertUnique["insertUnique"]): Promise<unknown> {
  const counts = { inserted: 0, duplicate: 0 };
  const ids: Record<number, string> = {};
  for (let n = 0; n < times; n++) {
    const key = n % keys;
    const { job, status } = await client.insert(unique, { key });
    counts[status]++;
    ids[key] ??= String(job.id);
    if (ids[key] !== String(job.id)) throw new Error(`key ${key} got a second job`);
  }
  return { counts, ids };
}
