/**
 * The queue beside statements by hand, which no queue on these tables can be much faster than: jobs a second, processor
 * time a job, and their ratio; and the milliseconds from an insertion to the start of its job on an idle worker. Rows are
 * counted in the database after each measurement. Prints two tables.
 *
 *     node --conditions=@riverqueue/source bench/src/raw-ceiling.ts [--on=postgres,postgres-without-gin,sqlite]
 *       [--jobs=100000] [--singles=5000] [--samples=1000] [--rounds=5]
 *
 * The two sides take turns, in an order that changes from round to round, each on new tables. It works in databases of
 * its own: on the server of DATABASE_URL or on one that it starts, which waits for its disk, and in temporary files.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Arena, postgresArena, type Side, sqliteArena } from "./ceiling/arena.ts";
import type { Contender } from "./ceiling/contender.ts";
import { QUEUE_SETTINGS } from "./ceiling/queue.ts";
import { median } from "./median.ts";

const { values: options } = parseArgs({
  options: {
    on: { type: "string", default: "postgres,postgres-without-gin,sqlite" },
    jobs: { type: "string", default: "100000" },
    singles: { type: "string", default: "5000" },
    samples: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
  },
});
const [JOBS, SINGLES, SAMPLES, ROUNDS] = [options.jobs, options.singles, options.samples, options.rounds].map(
  Number,
) as [number, number, number, number];
const IN_FLIGHT = 50;
const PERCENTILES = [50, 95, 99] as const;

interface Work {
  readonly title: string;
  readonly count: number;
  /** The jobs are there before. */
  readonly filled: boolean;
  readonly run: (contender: Contender, count: number) => Promise<void>;
}

const WORKS: readonly Work[] = [
  { title: "drain, rows kept", count: JOBS, filled: true, run: (side, count) => side.drain(count) },
  { title: "insertMany of 1,000", count: JOBS, filled: false, run: (side, count) => side.insertMany(count) },
  {
    title: `insert, ${IN_FLIGHT} in flight`,
    count: SINGLES,
    filled: false,
    run: (side, count) => side.insertInFlight(count, IN_FLIGHT),
  },
  { title: "insert, one after another", count: SINGLES, filled: false, run: (side, count) => side.insertEach(count) },
];

/** One measurement. */
interface Cell {
  readonly perSecond: number;
  /** Microseconds of this process a job. */
  readonly nodeUs: number;
  /** Microseconds of the server a job; null where it has none, or they cannot be read. */
  readonly serverUs: number | null;
}

type Cells = Readonly<Record<Side, Cell[]>>;

async function measure(arena: Arena, side: Side, { count, filled, run }: Work): Promise<Cell> {
  await arena.reset();
  if (filled) await arena.fill(count);
  const contender = await arena.open(side);
  try {
    const serverBefore = arena.serverCpuUs();
    const nodeBefore = process.cpuUsage();
    const began = performance.now();
    await run(contender, count);
    const seconds = (performance.now() - began) / 1_000;
    const { user, system } = process.cpuUsage(nodeBefore);
    const serverAfter = arena.serverCpuUs();
    const server = serverBefore === null || serverAfter === null ? null : serverAfter - serverBefore;
    const found = await arena.count(filled);
    if (found !== count) throw new Error(`${side}: the database holds ${found} of ${count} jobs`);
    const serverUs = server === null ? null : server / count;
    return { perSecond: count / seconds, nodeUs: (user + system) / count, serverUs };
  } finally {
    await contender.close();
  }
}

/** Latencies of one contender, sorted. */
async function sample(arena: Arena, side: Side): Promise<number[]> {
  await arena.reset();
  const contender = await arena.open(side);
  try {
    const samples = await contender.latencies(SAMPLES);
    const found = await arena.count(true);
    if (found !== SAMPLES) throw new Error(`${side}: the database holds ${found} of ${SAMPLES} completed jobs`);
    return samples.toSorted((a, b) => a - b);
  } finally {
    await contender.close();
  }
}

/** One percentile of every round. */
function ofRounds(rounds: readonly number[][], index: number): number[] {
  return rounds.map((found) => found[index] ?? NaN);
}

/** The line of the second table. */
async function compareLatencies(name: string, arena: Arena): Promise<string> {
  const percentiles: Record<Side, number[][]> = { queue: [], raw: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const side of sidesOf(round)) {
      const sorted = await sample(arena, side);
      const found = PERCENTILES.map((percent) => sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? NaN);
      if (round > 0) percentiles[side].push(found);
    }
  }
  const { queue, raw } = percentiles;
  const cell = (side: readonly number[][]): string =>
    PERCENTILES.map((_, index) => twoDigits(median(ofRounds(side, index)))).join(" / ");
  const ratios = PERCENTILES.slice(0, 2).map((_, index) => {
    const ofRaw = ofRounds(raw, index);
    return spread(
      ofRounds(queue, index).map((ms, round) => ms / (ofRaw[round] ?? NaN)),
      twoDigits,
    );
  });
  return `| ${[name, cell(raw), cell(queue), ...ratios].join(" | ")} |`;
}

/** Who goes first. */
function sidesOf(round: number): readonly Side[] {
  return round % 2 === 0 ? ["raw", "queue"] : ["queue", "raw"];
}

async function compare(name: string, arena: Arena): Promise<void> {
  const cells = WORKS.map((): Cells => ({ queue: [], raw: [] }));
  // The first is for warming up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, work] of WORKS.entries()) {
      for (const side of sidesOf(round)) {
        const cell = await measure(arena, side, work);
        if (round > 0) cells[index]?.[side].push(cell);
      }
    }
  }
  for (const [index, { title }] of WORKS.entries()) {
    const { queue, raw } = cells[index] ?? { queue: [], raw: [] };
    const ratios = queue.map(({ perSecond }, round) => perSecond / (raw[round]?.perSecond ?? NaN));
    const columns = [name, title, rate(raw), rate(queue), `**${spread(ratios, twoDigits)}**`, cpu(raw), cpu(queue)];
    console.log(`| ${columns.join(" | ")} |`);
  }
}

function rate(cells: readonly Cell[]): string {
  return spread(
    cells.map(({ perSecond }) => perSecond),
    (number) => Math.round(number).toLocaleString("en"),
  );
}

function cpu(cells: readonly Cell[]): string {
  const node = median(cells.map(({ nodeUs }) => nodeUs)).toFixed(1);
  const ofServer = cells.flatMap(({ serverUs }) => serverUs ?? []);
  return ofServer.length === 0 ? node : `${node} + ${median(ofServer).toFixed(1)}`;
}

/** The median, with the least and the most where there are more. */
function spread(numbers: readonly number[], format: (number: number) => string): string {
  const middle = format(median(numbers));
  if (numbers.length < 2) return middle;
  return `${middle} (${format(Math.min(...numbers))}–${format(Math.max(...numbers))})`;
}

function twoDigits(number: number): string {
  return number.toFixed(2);
}

function load(): string {
  return loadavg()
    .map((number) => number.toFixed(1))
    .join(", ");
}

const ARENAS: Readonly<Record<string, () => Arena | Promise<Arena>>> = {
  postgres: () => postgresArena(true),
  "postgres-without-gin": () => postgresArena(false),
  sqlite: sqliteArena,
};

const { fetchCooldown, maxWorkers, pollInterval } = QUEUE_SETTINGS;
console.log(
  `${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}, load ${load()}; medians of ${ROUNDS} rounds; ` +
    `${JOBS} jobs, ${SINGLES} alone; maxWorkers ${maxWorkers}, fetchCooldown ${fetchCooldown.milliseconds} ms, ` +
    `pollInterval ${pollInterval.milliseconds} ms`,
);
console.log("| on | work | raw, jobs/s | queue, jobs/s | ratio | raw, µs a job | queue, µs a job |");
console.log("|---|---|---|---|---|---|---|");
const latencies: string[] = [];
for (const name of options.on.split(",")) {
  const open = ARENAS[name];
  if (open === undefined) throw new Error(`--on takes ${Object.keys(ARENAS).join(", ")}`);
  const arena = await open();
  await compare(name, arena);
  latencies.push(await compareLatencies(name, arena));
  await arena.close();
}
console.log("| on | raw, p50 / p95 / p99 ms | queue, p50 / p95 / p99 ms | ratio p50 | ratio p95 |");
console.log("|---|---|---|---|---|");
for (const line of latencies) console.log(line);
console.log(`load at the end ${load()}; µs of Node.js, and after the plus those of the server`);
