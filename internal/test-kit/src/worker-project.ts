/** Runs a Worker on workerd, the runtime of Cloudflare, from its wrangler.jsonc: the file itself is what is tested. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import type { TestContext } from "node:test";
import { build } from "esbuild";
import { Miniflare, type WorkerOptions } from "miniflare";

/** What is read of a wrangler.jsonc; anything else in it is a problem. */
export interface WorkerConfig {
  readonly name: string;
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags?: readonly string[];
  readonly vars?: Readonly<Record<string, string>>;
  readonly queues: {
    readonly producers: readonly { readonly queue: string; readonly binding: string }[];
    readonly consumers: readonly {
      readonly queue: string;
      readonly max_batch_size: number;
      readonly max_batch_timeout: number;
      readonly max_concurrency?: number;
      readonly max_retries: number;
      readonly retry_delay?: number;
      readonly dead_letter_queue?: string;
    }[];
  };
  readonly d1_databases: readonly {
    readonly binding: string;
    readonly database_name: string;
    readonly database_id: string;
    readonly migrations_dir?: string;
  }[];
  readonly kv_namespaces: readonly { readonly binding: string; readonly id: string }[];
  readonly triggers: { readonly crons: readonly string[] };
  readonly observability?: unknown;
  readonly $schema?: string;
}

const KNOWN = new Set([
  "$schema",
  "name",
  "main",
  "compatibility_date",
  "compatibility_flags",
  "vars",
  "queues",
  "d1_databases",
  "kv_namespaces",
  "triggers",
  "observability",
]);

/** Reads a wrangler.jsonc. */
export function readWorkerConfig(path: string): WorkerConfig {
  const config = JSON.parse(withoutComments(readFileSync(path, "utf8"))) as WorkerConfig;
  const unknown = Object.keys(config).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) throw new Error(`this test kit does not know what ${unknown.join(", ")} does in ${path}`);
  return config;
}

/** What a test changes about the configuration before the Worker starts. */
export interface WorkerChanges {
  /** Leaves out the consumers, so that a test delivers by itself what it wants delivered. */
  readonly withoutConsumers?: boolean;
  /** Takes the place of waits of the consumers, in seconds. */
  readonly batchTimeout?: number;
  /** More variables, such as secrets. */
  readonly vars?: Readonly<Record<string, string>>;
}

/** Nothing is fetched or reported, and what a Worker writes to its console is not part of a test's output. */
const QUIET = {
  cf: false,
  telemetry: { enabled: false },
  handleRuntimeStdio(...streams: readonly Readable[]) {
    for (const stream of streams) stream.resume();
  },
} as const;

/** Starts the Worker of a configuration, its databases migrated; it ends with the test. */
export async function startWorker(t: TestContext, configPath: string, changes: WorkerChanges = {}): Promise<Miniflare> {
  const worker = await openWorker(configPath, changes);
  t.after(() => worker.dispose());
  return worker;
}

/** The same for a caller that disposes of it. */
export async function openWorker(configPath: string, changes: WorkerChanges = {}): Promise<Miniflare> {
  const config = readWorkerConfig(configPath);
  const folder = dirname(configPath);
  const script = await bundleWorker(join(folder, config.main));
  const worker = new Miniflare({ ...workerOptions(config, script, changes), ...QUIET });
  await worker.ready;
  for (const { binding, migrations_dir: migrations = "migrations" } of config.d1_databases) {
    const database = await worker.getD1Database(binding);
    const statements = readMigrations(join(folder, migrations));
    await database.batch(statements.map((statement) => database.prepare(statement)));
  }
  return worker;
}

/** A message to deliver. */
export interface TestMessage {
  readonly id: string;
  readonly timestamp: Date;
  readonly attempts: number;
  readonly body: unknown;
}

/** What a Worker has said about a batch. */
export interface BatchResult {
  readonly outcome: string;
  readonly explicitAcks: readonly string[];
  readonly retryMessages: readonly { readonly msgId: string; readonly delaySeconds?: number }[];
}

/** The entries of a Worker beside requests, called at once and with what a test wants them to get. */
export interface WorkerEntries {
  queue(name: string, messages: readonly TestMessage[]): Promise<BatchResult>;
  scheduled(event: { readonly cron: string; readonly scheduledTime?: Date }): Promise<{ readonly outcome: string }>;
}

/** See {@link WorkerEntries}; Miniflare has them without a type. */
export async function workerEntries(worker: Miniflare): Promise<WorkerEntries> {
  return (await worker.getWorker()) as unknown as WorkerEntries;
}

/** One module of everything that `entry` imports, from sources. */
export async function bundleWorker(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["@riverqueue/source", "workerd", "worker", "browser", "import"],
    external: ["cloudflare:*"],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

function workerOptions(
  config: WorkerConfig,
  script: string,
  { withoutConsumers = false, batchTimeout, vars }: WorkerChanges,
): WorkerOptions {
  return {
    name: config.name,
    modules: true,
    script,
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: [...(config.compatibility_flags ?? [])],
    bindings: { ...config.vars, ...vars },
    d1Databases: Object.fromEntries(config.d1_databases.map(({ binding, database_id: id }) => [binding, id])),
    kvNamespaces: Object.fromEntries(config.kv_namespaces.map(({ binding, id }) => [binding, id])),
    queueProducers: Object.fromEntries(
      config.queues.producers.map(({ binding, queue }) => [binding, { queueName: queue }]),
    ),
    queueConsumers: withoutConsumers
      ? {}
      : Object.fromEntries(
          config.queues.consumers.map((consumer) => [
            consumer.queue,
            {
              maxBatchSize: consumer.max_batch_size,
              maxBatchTimeout: batchTimeout ?? consumer.max_batch_timeout,
              maxRetries: consumer.max_retries,
              ...(consumer.retry_delay !== undefined && { retryDelay: consumer.retry_delay }),
              ...(consumer.dead_letter_queue !== undefined && { deadLetterQueue: consumer.dead_letter_queue }),
            },
          ]),
        ),
  };
}

function readMigrations(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return files.toSorted().flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .replaceAll(/^--.*$/gm, "")
      .split(/;\s*$/m)
      .map((statement) => statement.trim())
      .filter((statement) => statement !== ""),
  );
}

/** JSON from JSON with comments and trailing commas; text in quotes stays as it is. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_, quoted: string | undefined) => quoted ?? "")
    .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, quoted: string | undefined) => quoted ?? "");
}
