/**
 * Accepted events a second, each with one async command, beside jobs inserted each in a transaction of its own on the same
 * pool, with as many in flight. Counts rows in the database, warms up, alternates rounds, and prints medians.
 *
 *     node --conditions=@riverqueue/source bench/src/reaction-emit.ts [--backend=sqlite|postgres] [--count=2000]
 *       [--in-flight=50] [--rounds=5]
 */
import { parseArgs } from "node:util";
import { createReaction } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { Client, defineJob } from "riverqueue";
import { median } from "./median.ts";
import { openBenchDatabase, takeStatementCount } from "./reaction-database.ts";
import { Measured, measuredPolicy } from "./reaction-event.ts";

const { values } = parseArgs({
  options: {
    backend: { type: "string", default: "sqlite" },
    count: { type: "string", default: "2000" },
    "in-flight": { type: "string", default: "50" },
    rounds: { type: "string", default: "5" },
  },
});
const [count, inFlight, rounds] = [Number(values.count), Number(values["in-flight"]), Number(values.rounds)];

const database = await openBenchDatabase(values.backend);
const client = new Client(database.driver);
const job = defineJob({ kind: "bench", decode: ({ n }) => ({ n: Number(n) }) });
const home = createEmbeddedHome({ driver: database.driver });
const { processor } = createReaction({ policies: [measuredPolicy], ...home.parts });
const ctx = home.workerCtx();
let serial = 0;

/** Calls a second, and statements a call. */
async function rate(call: () => Promise<unknown>, written: string): Promise<{ perSecond: number; statements: number }> {
  await database.clear();
  takeStatementCount();
  const started = performance.now();
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - started) / 1000;
  const statements = takeStatementCount() / count;
  if ((await database.number(`select count(*) from ${written}`)) !== count) throw new Error("rows are missing");
  return { perSecond: count / seconds, statements };
}

const emit = () => processor.emit(ctx, Measured.create({ idempotencyKey: String(serial++), payload: { n: 1 } }));
const insert = () => database.inTransaction((tx) => client.insert(job, { n: 1 }, { tx }));
const figures = { emit: [] as number[], insert: [] as number[] };
const sent = { emit: 0, insert: 0 };
for (let round = 0; round <= rounds; round++) {
  const inserted = await rate(insert, "river_job");
  const emitted = await rate(emit, "river_reaction_event");
  if (round === 0) continue;
  figures.insert.push(inserted.perSecond);
  figures.emit.push(emitted.perSecond);
  [sent.insert, sent.emit] = [inserted.statements, emitted.statements];
}
const [emits, inserts] = [median(figures.emit), median(figures.insert)];
console.log(`${values.backend}, ${count} calls, ${inFlight} in flight, median of ${rounds} rounds`);
console.log(`emit, one async command:        ${emits.toFixed(0)}/s, ${sent.emit.toFixed(2)} statements each`);
console.log(`insert in its own transaction:  ${inserts.toFixed(0)}/s, ${sent.insert.toFixed(2)} statements each`);
console.log(`ratio: ${(emits / inserts).toFixed(2)}`);
home.close();
await database.close();
