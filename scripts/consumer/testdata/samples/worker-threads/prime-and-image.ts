// The samples about threads, put together: registration, resource limits, order of closing, and jobs that are worked.
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { type WorkerThreadModule, WorkerThreads } from "@riverqueue/worker-threads";
import { Client, Workers } from "riverqueue";
import type * as primeHandlers from "./handler.js";
import type * as imageHandlers from "./image-handler.js";
import { findPrime, resizeImage } from "./jobs.ts";

const handlerModule: WorkerThreadModule<typeof primeHandlers> = new URL("./handler.js", import.meta.url);
const imageModule: WorkerThreadModule<typeof imageHandlers> = new URL("./image-handler.js", import.meta.url);

const limited = new WorkerThreads({
  maxThreads: 2,
  resourceLimits: { maxOldGenerationSizeMb: 256 },
});

await using executor = new WorkerThreads({ maxThreads: 4 });
const workers = new Workers()
  .addExecutor(
    resizeImage,
    executor.handler(resizeImage, {
      exportName: "resizeImageHandler",
      module: imageModule,
    }),
  )
  .addExecutor(findPrime, limited.handler(findPrime, { exportName: "findPrimeHandler", module: handlerModule }));

const driver = SqliteDriver.memory();
await createMigrator(driver).migrateUp();
const client = new Client(driver, { queues: { default: { maxWorkers: 8 } }, workers });
const completions = client.subscribe({ kinds: ["job_completed"] });
const run = await client.start();
await client.insert(findPrime, { ordinal: 100 });
await client.insert(resizeImage, { width: 640 });
const outputs: string[] = [];
for await (const event of completions) {
  if (event.kind === "job_completed") outputs.push(JSON.stringify(event.job.metadata["output"]));
  if (outputs.length === 2) break;
}
console.log(outputs.toSorted().join("\n"));
await run.stop();
await limited.close();
driver.close();
