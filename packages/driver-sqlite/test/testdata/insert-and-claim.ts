/** Inserts unique jobs, then works the whole queue together with its sisters, and reports what it did. */
import { DatabaseSync } from "node:sqlite";
import { SqliteDriver } from "@riverqueue/driver-sqlite";

const [, , path = "", clientId = "", rounds = "0"] = process.argv;
const driver = new SqliteDriver(new DatabaseSync(path), { busyTimeout: { seconds: 60 } });
const worked: string[] = [];
let inserted = 0;
let duplicates = 0;

for (let round = 0; round < Number(rounds); round += 1) {
  const uniqueKey = new Uint8Array(32).fill(round % 100);
  const job = {
    kind: "noop",
    queue: "default",
    state: "available",
    priority: 1,
    maxAttempts: 25,
    args: "{}",
    metadata: "{}",
    tags: [],
    scheduledAt: null,
    uniqueKey,
    uniqueStates: 245,
  } as const;
  const [result] = await driver.jobs.insert({ jobs: [job], notices: [], durability: "relaxed" });
  if (result?.duplicate === true) duplicates += 1;
  else inserted += 1;
}
console.log(JSON.stringify({ inserted, duplicates }));

process.stdin.once("data", () => void work());

async function work(): Promise<void> {
  for (;;) {
    const { jobs } = await driver.jobs.claim({ queue: "default", clientId, limit: 20, kinds: null, hint: null });
    if (jobs.length === 0) break;
    worked.push(...jobs.map(({ id }) => String(id)));
    const finalizedAt = Temporal.Now.instant();
    const settlements = jobs.map(({ id, attempt }) => ({
      id,
      attempt,
      clientId,
      state: "completed" as const,
      newAttempt: null,
      finalizedAt,
      scheduledAt: null,
      error: null,
      metadata: null,
      deleteRow: false,
    }));
    await driver.jobs.settle({ settlements, wantRows: false });
  }
  console.log(JSON.stringify({ worked }));
  process.stdin.destroy();
}
