/**
 * Child process: inserts jobs all the time. Arguments: backend, address. It says `inserting` after the first of them, and,
 * once its parent closes the channel or sends something, how many there were.
 */
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import { Client } from "riverqueue";
import { fleetJob } from "./fleet-job.ts";
import type { FleetBackend } from "./fleet-store.ts";
import { openStore } from "./open-store.ts";

/** Jobs at a time, so few that they never wait for a claim. */
const BATCH = 5;

const [backend = "sqlite", address = ""] = process.argv.slice(2);
const store = openStore(backend as FleetBackend, address);
const client = new Client(store.driver);
const stopped = Promise.withResolvers<"stopped">();
void hear().then(() => stopped.resolve("stopped"));
let inserted = 0;
for (;;) {
  await client.insertMany(Array.from({ length: BATCH }, () => ({ job: fleetJob, args: { n: inserted++ } })));
  if (inserted === BATCH) say("inserting");
  const turn = Promise.withResolvers<"turn">();
  setTimeout(turn.resolve, 20, "turn");
  if ((await Promise.race([stopped.promise, turn.promise])) === "stopped") break;
}
say({ inserted });
await store.close();
