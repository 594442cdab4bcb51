/**
 * How long events with one async command take to be worked off, beside as many plain jobs with an empty handler at the same
 * settings. Counts finished rows in the database, alternates rounds, and prints medians, least and most.
 *
 *     node --conditions=@riverqueue/source bench/src/reaction-drain.ts [--backend=sqlite|postgres] [--count=10000]
 *       [--concurrency=1,50] [--rounds=3]
 */
import { parseArgs } from "node:util";
import { createReaction } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { Client, defineJob, type PeriodicJob, type QueueConfig, Workers } from "riverqueue";
import { median } from "./median.ts";
import { type BenchDatabase, openBenchDatabase, takeStatementCount } from "./reaction-database.ts";
import { Measured, measuredPolicy } from "./reaction-event.ts";

const { values } = parseArgs({
  options: {
    backend: { type: "string", default: "sqlite" },
    count: { type: "string", default: "10000" },
    concurrency: { type: "string", default: "1,50" },
    rounds: { type: "string", default: "3" },
  },
});
const [count, rounds] = [Number(values.count), Number(values.rounds)];
const CHUNK = 50;

interface Drain {
  readonly seconds: number;
  readonly statements: number;
}

/** Starts the client and waits until nothing is left by an index; then `finished` must count all. */
async function drain(
  database: BenchDatabase,
  client: Client<never>,
  { left, finished }: { readonly left: string; readonly finished: string },
): Promise<Drain> {
  takeStatementCount();
  const started = performance.now();
  const run = await client.start();
  while ((await database.number(`select count(*) from (${left} limit 1) as l`)) > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (performance.now() - started) / 1000;
  const statements = takeStatementCount() / count;
  await run.stop();
  if ((await database.number(finished)) !== count) throw new Error("rows are missing");
  return { seconds, statements };
}

async function drainJobs(database: BenchDatabase, maxWorkers: number): Promise<Drain> {
  await database.clear();
  const job = defineJob({ kind: "bench", decode: ({ n }) => ({ n: Number(n) }) });
  const workers = new Workers<never>().add(job, () => {});
  const queues = { bench: { maxWorkers, fetchCooldown: { milliseconds: 5 } } };
  const client = new Client(database.driver, { workers, queues, logger: false });
  const items = Array.from({ length: count }, (_, n) => ({ job, args: { n }, options: { queue: "bench" } }));
  await client.insertMany(items);
  return drain(database, client, {
    left: "select 1 from river_job where state in ('available', 'running')",
    finished: "select count(*) from river_job where state = 'completed'",
  });
}

async function drainEvents(database: BenchDatabase, taskConcurrency: number): Promise<Drain> {
  await database.clear();
  const home = createEmbeddedHome({ driver: database.driver });
  const reaction = createReaction({ policies: [measuredPolicy], ...home.parts, taskConcurrency });
  const ctx = home.workerCtx();
  for (let n = 0; n < count; n += CHUNK) {
    const keys = Array.from({ length: Math.min(CHUNK, count - n) }, (_, index) => String(n + index));
    await Promise.all(
      keys.map((idempotencyKey) => reaction.processor.emit(ctx, Measured.create({ idempotencyKey, payload: { n } }))),
    );
  }
  const workers = new Workers<never>();
  const queues: Record<string, QueueConfig> = {};
  const periodicJobs: PeriodicJob[] = [];
  home.register({ workers, queues, periodicJobs, reaction });
  const client = new Client(database.driver, { workers, queues, logger: false });
  const drained = await drain(database, client, {
    left: "select 1 from river_reaction_event where next_sweep_at is not null",
    finished: "select count(*) from river_reaction_event where status = 'completed'",
  });
  home.close();
  return drained;
}

/** Median, least and most of the numbers. */
function spread(numbers: readonly number[], digits: number): string {
  const [middle, least, most] = [median(numbers), Math.min(...numbers), Math.max(...numbers)];
  return `${middle.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}

function line(name: string, drains: readonly Drain[]): string {
  const rates = drains.map(({ seconds }) => count / seconds);
  const sent = median(drains.map(({ statements }) => statements));
  return `  ${name}: ${spread(rates, 0)} a second, ${sent.toFixed(2)} statements each`;
}

const database = await openBenchDatabase(values.backend);
console.log(`${values.backend}, ${count} each, median of ${rounds} rounds`);
for (const concurrency of values.concurrency.split(",").map(Number)) {
  const [jobs, events]: [Drain[], Drain[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    jobs.push(await drainJobs(database, concurrency));
    events.push(await drainEvents(database, concurrency));
  }
  const ratios = jobs.map(({ seconds }, round) => seconds / (events[round]?.seconds ?? NaN));
  console.log(`concurrency ${concurrency}`);
  console.log(line("jobs  ", jobs));
  console.log(line("events", events));
  console.log(`  ratio: ${spread(ratios, 2)}`);
}
await database.close();
