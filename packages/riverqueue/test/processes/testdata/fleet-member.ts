/** One of several clients on one file, whose handlers leave a trace in the transaction that completes their job. */
import { DatabaseSync } from "node:sqlite";
import { SqliteDriver, transaction } from "@riverqueue/driver-sqlite";
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import { Client, defineJob, Workers } from "riverqueue";

const [, , path = ""] = process.argv;
const task = defineJob({ kind: "task" });
const handle = new DatabaseSync(path, { timeout: 0 });
const driver = new SqliteDriver(handle, { busyTimeout: { seconds: 60 } });

const workers = new Workers().add(task, async ({ job, completeTx }) => {
  const own = driver.connect();
  try {
    await transaction(
      own,
      async () => {
        own.prepare("INSERT INTO trace (job_id) VALUES (?)").run(job.id);
        await completeTx(own);
      },
      { busyTimeout: { seconds: 60 } },
    );
  } finally {
    own.close();
  }
});
const client = new Client(driver, {
  queues: { default: { maxWorkers: 20, fetchCooldown: { milliseconds: 5 }, pollInterval: { milliseconds: 50 } } },
  workers,
  jobTimeout: { seconds: 2 },
  logger: false,
  maintenance: {
    rescueAfter: { seconds: 2 },
    rescuerInterval: { milliseconds: 500 },
    electionInterval: { milliseconds: 500 },
    schedulerInterval: { milliseconds: 500 },
  },
  retryPolicy: (_, now) => now,
});

say("ready");
await hear();
const run = await client.start();
await hear();
await run.stop();
await run.completed;
driver.close();
handle.close();
