import { after } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { reactionStoreTests } from "@riverqueue/internal-test-kit/reaction/store-suite";
import { openWorker } from "@riverqueue/internal-test-kit/worker-project";
import { createCloudflareHome } from "@riverqueue/reaction-cloudflare";
import { CONFIG } from "./testdata/test-worker.ts";
import type { TestEnv } from "./testdata/worker/worker.ts";

const TABLES = ["event", "command", "alert", "action"];
const worker = openWorker(CONFIG, { withoutConsumers: true });
// Before the look for what is left behind.
after(async () => (await worker).dispose());
failOnLeaks();

reactionStoreTests("D1", async () => {
  const bindings = await (await worker).getBindings<TestEnv>();
  const { REACTION_DB: database } = bindings;
  await database.batch(TABLES.map((table) => database.prepare(`delete from river_reaction_${table}`)));
  let at = Date.parse("2026-01-02T03:04:05.678Z");
  const { store } = createCloudflareHome(bindings, { now: () => new Date(at) });
  return { store, advance: (ms) => (at += ms) };
});
