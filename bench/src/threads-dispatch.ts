/**
 * What it costs to have a thread run a handler that does nothing: attempts of `WorkerThreads` a second, beside tasks of
 * Piscina and of Tinypool at their defaults and at the best setting that was found, and beside bare messages with a JSON
 * text as small as an attempt's. Rounds of all contestants take turns. Prints a table of medians with the lowest and the
 * highest rate, and what ours is of each peer's in the same round.
 *
 *     node --conditions=@riverqueue/source bench/src/threads-dispatch.ts [--rounds=5] [--ms=1000] [--threads=2]
 *
 * `default` settings start as many threads as the pool likes, those of one thread one; every other contestant has
 * `--threads` of them.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { MessageChannel, Worker } from "node:worker_threads";
import { WorkerThreads } from "@riverqueue/worker-threads";
import { Piscina } from "piscina";
import { defineJob, jobFromJsonValue, type WorkContext } from "riverqueue";
import { nothing } from "./empty-handler.ts";
import { median } from "./median.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    ms: { type: "string", default: "1000" },
    threads: { type: "string", default: "2" },
  },
});
const THREADS = Number(options.threads);
/** Imported without its declarations, which do not fit those of this version of Node. */
const TINYPOOL: string = "tinypool";
const HANDLER = new URL("./empty-handler.ts", import.meta.url);
const IN_FLIGHT = [2, 16];
const WARM_UP_BATCHES = 50;

/** A pool that runs an empty task. */
interface Contestant {
  readonly run: () => PromiseLike<unknown>;
  readonly close: () => Promise<unknown>;
}

function river(maxThreads: number): Contestant {
  const executor = new WorkerThreads({ maxThreads });
  const definition = defineJob({ kind: "bench" });
  const { handler } = executor.handler(definition, { exportName: "nothing", module: HANDLER });
  const context = claimedJob();
  return { run: () => executor.start(context, handler).result, close: () => executor.close() };
}

/** A small job as a client has it. */
function claimedJob(): WorkContext {
  const time = "2026-12-01T00:00:00.123456Z";
  const row = jobFromJsonValue({
    id: "123456",
    kind: "bench",
    queue: "default",
    state: "running",
    priority: 1,
    attempt: 1,
    maxAttempts: 25,
    args: { n: 1 },
    metadata: {},
    tags: [],
    attemptedBy: ["client"],
    errors: [],
    createdAt: time,
    scheduledAt: time,
    attemptedAt: time,
    finalizedAt: null,
    uniqueKey: null,
    uniqueStates: null,
  });
  return {
    job: { ...row, rawArgs: row.args },
    execution: { attemptedBy: "client", startedAt: Temporal.Instant.from(time) },
    logger: { debug: nothing, error: nothing, info: nothing, warn: nothing },
  } as unknown as WorkContext;
}

function piscina(settings: PoolSettings): Contestant {
  const pool = new Piscina({ filename: HANDLER.href, name: "nothing", ...settings });
  return { run: () => pool.run({ n: 1 }), close: () => pool.destroy() };
}

/** Settings that are looked at. */
interface PoolSettings {
  readonly minThreads?: number;
  readonly maxThreads?: number;
  readonly concurrentTasksPerWorker?: number;
  readonly atomics?: "async" | "disabled";
  readonly recordTiming?: boolean;
}

interface Pool {
  run(task: unknown): Promise<unknown>;
  destroy(): Promise<void>;
}

const { Tinypool } = (await import(TINYPOOL)) as { readonly Tinypool: new (settings: object) => Pool };

function tinypool(settings: PoolSettings): Contestant {
  const pool = new Tinypool({ filename: HANDLER.href, name: "nothing", ...settings });
  return { run: () => pool.run({ n: 1 }), close: () => pool.destroy() };
}

const ECHO = `const { workerData } = require("node:worker_threads");
  workerData.on("message", ([id]) => workerData.postMessage([id]));`;

/** One message there and one back, nothing else: what no pool can do without. */
function bareMessages(): Contestant {
  const waiting: (() => void)[] = [];
  const idle: ((done: () => void) => void)[] = [];
  const workers = Array.from({ length: THREADS }, () => {
    const { port1, port2 } = new MessageChannel();
    let id = 0;
    let done: (() => void) | null = null;
    const send = (callback: () => void): void => {
      done = callback;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows of a browser
      port1.postMessage([++id, JSON.stringify({ id: "123456", kind: "bench", queue: "default", args: { n: id } })]);
    };
    port1.on("message", () => {
      const finished = done;
      const next = waiting.shift();
      if (next === undefined) idle.push(send);
      else send(next);
      finished?.();
    });
    idle.push(send);
    return new Worker(ECHO, { eval: true, workerData: port2, transferList: [port2] });
  });
  return {
    run: () =>
      new Promise<void>((resolve) => {
        const send = idle.pop();
        if (send === undefined) waiting.push(resolve);
        else send(resolve);
      }),
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}

const fixed = { minThreads: THREADS, maxThreads: THREADS };
const single = { minThreads: 1, maxThreads: 1 };
/** Tasks that a thread of the others may have at a time at their best; River's has one. */
const concurrentTasksPerWorker = 8;
/** The same with all else that makes Piscina faster with an empty handler: as many as are in flight, and no figures of them. */
const lean = { concurrentTasksPerWorker: 16, recordTiming: false };

const OURS = "WorkerThreads";
const OURS_ALONE = "WorkerThreads, one thread";
const CONTESTANTS: Readonly<Record<string, () => Contestant>> = {
  [OURS]: () => river(THREADS),
  [OURS_ALONE]: () => river(1),
  "Piscina, default": () => piscina({}),
  "Piscina, fixed threads": () => piscina(fixed),
  "Piscina, no atomics": () => piscina({ ...fixed, atomics: "disabled" }),
  "Piscina, 8 tasks a thread": () => piscina({ ...fixed, concurrentTasksPerWorker }),
  "Piscina, 16 tasks and no timing": () => piscina({ ...fixed, ...lean }),
  "Piscina, 16 tasks and no timing and async atomics": () => piscina({ ...fixed, ...lean, atomics: "async" }),
  "Piscina, one thread of 16 tasks and no timing": () => piscina({ ...single, ...lean }),
  "Tinypool, default": () => tinypool({}),
  "Tinypool, fixed threads": () => tinypool(fixed),
  "Tinypool, 8 tasks a thread": () => tinypool({ ...fixed, concurrentTasksPerWorker }),
  "bare messages": bareMessages,
};

/** What one round has found. */
interface Figures {
  /** Tasks a second. */
  readonly rate: number;
  /** Microseconds of processor time a task, of all threads together: says something on a busy machine, too. */
  readonly cpu: number;
}

/** Lets every pool start its threads and load its module before time counts, however long that takes. */
async function warmUp({ run: runTask }: Contestant): Promise<void> {
  for (let batch = 0; batch < WARM_UP_BATCHES; batch++) await Promise.all(Array.from({ length: 20 }, runTask));
}

/** Runs tasks, `inFlight` at a time. */
async function run({ run: runTask }: Contestant, inFlight: number, ms: number): Promise<Figures> {
  const before = process.cpuUsage();
  const started = performance.now();
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() - started < ms) {
      await runTask();
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  const { user, system } = process.cpuUsage(before);
  return { rate: (done * 1_000) / (performance.now() - started), cpu: (user + system) / done };
}

/** What the rounds have found, by contestant. */
type Rounds = ReadonlyMap<string, readonly Figures[]>;

async function measure(inFlight: number): Promise<Rounds> {
  const rounds = new Map<string, Figures[]>(Object.keys(CONTESTANTS).map((name) => [name, []]));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [name, make] of Object.entries(CONTESTANTS)) {
      const contestant = make();
      await warmUp(contestant);
      await run(contestant, inFlight, Number(options.ms) / 2);
      rounds.get(name)?.push(await run(contestant, inFlight, Number(options.ms)));
      await contestant.close();
    }
  }
  return rounds;
}

const thousands = (rate: number): string => (rate / 1_000).toFixed(1);

function cell(all: readonly Figures[]): string {
  const rates = all.map(({ rate }) => rate);
  const spread = `[${thousands(Math.min(...rates))}–${thousands(Math.max(...rates))}]`;
  return `${thousands(median(rates))}k/s ${spread}, ${median(all.map(({ cpu }) => cpu)).toFixed(0)} µs`;
}

/** Rates of one of ours by those of a peer in the same round, with the lowest and the highest. */
function ratio(rounds: Rounds, ours: string, peer: string): string {
  const peers = rounds.get(peer) ?? [];
  const ratios = (rounds.get(ours) ?? []).map(({ rate }, round) => rate / (peers[round]?.rate ?? NaN));
  const [least, middle, most] = [Math.min(...ratios), median(ratios), Math.max(...ratios)].map((one) => one.toFixed(2));
  return `${middle} [${least}–${most}]`;
}

const tables = new Map<number, Rounds>();
for (const inFlight of IN_FLIGHT) tables.set(inFlight, await measure(inFlight));
const [load] = loadavg();
console.log(
  `empty handler, ${THREADS} threads, medians of ${options.rounds} rounds: rate, processor time a task; ` +
    `load of the machine ${load?.toFixed(1)}, of which one or two are this program's`,
);
console.log(`| pool | ${IN_FLIGHT.map((count) => `${count} in flight`).join(" | ")} |`);
console.log(`|---|${"---|".repeat(IN_FLIGHT.length)}`);
for (const name of Object.keys(CONTESTANTS)) {
  console.log(`| ${[name, ...Array.from(tables.values(), (rounds) => cell(rounds.get(name) ?? []))].join(" | ")} |`);
}
const PEERS = Object.keys(CONTESTANTS).filter((name) => /^(?:Piscina|Tinypool)/.test(name));
for (const [inFlight, rounds] of tables) {
  for (const ours of [OURS, OURS_ALONE]) {
    for (const peer of PEERS) console.log(`${inFlight} in flight: ${ours} at ${ratio(rounds, ours, peer)} of ${peer}`);
  }
  const rateOf = (name: string): number => median((rounds.get(name) ?? []).map(({ rate }) => rate));
  const best = PEERS.reduce((a, b) => (rateOf(b) > rateOf(a) ? b : a));
  for (const ours of [OURS, OURS_ALONE]) {
    const fraction = (rateOf(ours) / rateOf(best)).toFixed(2);
    console.log(`${inFlight} in flight: ${ours} at ${fraction} of the best peer (${best})`);
  }
}
