/** This repository's peer: one client on one database, and the methods that a test may call on it. */
import {
  Client,
  jobToJsonValue,
  type JsonObject,
  type JsonValue,
  type JobRow,
  type QueueRow,
  type RunHandle,
  type TransactionOptions,
} from "riverqueue";
import type { ListSpec, OpenSpec, PeerJobSpec } from "../peer-values.ts";
import { clientOptions, insertOptions, listOptions } from "./client-options.ts";
import { type OpenTransaction, openDatabase, type PeerDatabase } from "./database.ts";
import { deleteBefore, rescue } from "./maintenance.ts";
import { planned, release } from "./plan-worker.ts";
import { say } from "./protocol.ts";

type Operation = (params: never) => unknown;

/** Connects to the database that the parameters name. */
export function connectPeer(params: JsonValue): OurPeer {
  const { backend, address } = params as { backend: string; address: string };
  return new OurPeer(openDatabase(backend, address));
}

/** See the file header. */
export class OurPeer {
  readonly #database: PeerDatabase;
  readonly #transactions = new Map<number, OpenTransaction>();
  readonly #operations: Readonly<Record<string, Operation>>;
  #client: Client | null = null;
  #run: RunHandle | null = null;

  constructor(database: PeerDatabase) {
    this.#database = database;
    this.#operations = this.#makeOperations();
  }

  async handle(method: string, params: JsonValue): Promise<unknown> {
    const operation = this.#operations[method];
    if (operation === undefined) throw new Error(`unknown method ${method}`);
    return operation(params as never);
  }

  async close(): Promise<void> {
    await this.#run?.stop({ mode: "cancel" });
    await this.#database.close();
  }

  get #opened(): Client {
    if (this.#client === null) throw new Error("not open");
    return this.#client;
  }

  #open(spec: OpenSpec): { clientId: string } {
    const options = clientOptions(spec, this.#database);
    this.#client = new Client(this.#database.driver, options);
    if (spec.queues !== undefined) void report(this.#client);
    return { clientId: (this.#client as Client & { readonly clientId: string }).clientId };
  }

  async #begin(): Promise<number> {
    const transaction = await this.#database.begin();
    const number = this.#transactions.size + 1;
    this.#transactions.set(number, transaction);
    return number;
  }

  #transaction(number: number): OpenTransaction {
    const transaction = this.#transactions.get(number);
    if (transaction === undefined) throw new Error("no such transaction");
    return transaction;
  }

  #scope(tx: number | undefined): TransactionOptions {
    return tx === undefined ? {} : { tx: this.#transaction(tx).tx };
  }

  async #insert(spec: PeerJobSpec & InTransaction): Promise<object> {
    const { job, status } = await this.#opened.insert(planned(spec.kind), spec.args ?? {}, {
      ...insertOptions(spec),
      ...this.#scope(spec.tx),
    });
    return { job: jobToJsonValue(job), duplicate: status === "duplicate" };
  }

  async #insertMany({ jobs, tx }: { jobs: readonly PeerJobSpec[] } & InTransaction): Promise<object[]> {
    const items = jobs.map((spec) => ({
      job: planned(spec.kind),
      args: spec.args ?? {},
      options: insertOptions(spec),
    }));
    const results = await this.#opened.insertMany(items, this.#scope(tx));
    return results.map(({ job, status }) => ({ job: jobToJsonValue(job), duplicate: status === "duplicate" }));
  }

  async #list(spec: ListSpec): Promise<object> {
    const { jobs, nextCursor } = await this.#opened.jobs.list(listOptions(spec));
    return { jobs: jobs.map(jobToJsonValue), nextCursor };
  }

  async #validate(): Promise<object> {
    const { ok, messages } = await this.#database.migrator.validate();
    return { ok, messages, versions: await this.#database.migrator.existingVersions() };
  }

  async #migrate({ direction, targetVersion, maxSteps }: MigrateParams): Promise<number[]> {
    const options = {
      ...(targetVersion !== undefined && { targetVersion }),
      ...(maxSteps !== undefined && { maxSteps }),
    };
    const { migrator } = this.#database;
    const done = await (direction === "up" ? migrator.migrateUp(options) : migrator.migrateDown(options));
    return done.versions.map(({ version }) => version);
  }

  #makeOperations(): Record<string, Operation> {
    const jobs = (): Client["jobs"] => this.#opened.jobs;
    const queues = (): Client["queues"] => this.#opened.queues;
    return {
      open: (spec: OpenSpec) => this.#open(spec),
      start: async () => void (this.#run = await this.#opened.start()),
      stop: () => this.#run?.stop(),
      stopAndCancel: () => this.#run?.stop({ mode: "cancel" }),
      release: ({ id }: Named) => release(id),
      begin: () => this.#begin(),
      commit: ({ tx }: { tx: number }) => this.#transaction(tx).commit(),
      rollback: ({ tx }: { tx: number }) => this.#transaction(tx).rollback(),
      insert: (spec: PeerJobSpec) => this.#insert(spec),
      insertMany: (spec: { jobs: readonly PeerJobSpec[] }) => this.#insertMany(spec),
      get: ({ id }: Named) => one(jobs().get(BigInt(id))),
      list: (spec: ListSpec) => this.#list(spec),
      cancel: ({ id, tx }: Named & InTransaction) => one(jobs().cancel(BigInt(id), this.#scope(tx))),
      retry: ({ id }: Named) => one(jobs().retry(BigInt(id))),
      delete: ({ id }: Named) => one(jobs().delete(BigInt(id))),
      deleteMany: async (spec: ListSpec) => (await jobs().deleteMany(listOptions(spec))).map(jobToJsonValue),
      update: ({ id, output }: Named & { output: JsonValue }) => one(jobs().update(BigInt(id), { output })),
      queue: ({ name }: QueueParams) => oneQueue(queues().get(name)),
      queues: async () => (await queues().list()).queues.map(queueToJson),
      pause: async ({ name }: QueueParams) => void (await queues().pause(name)),
      resume: async ({ name }: QueueParams) => void (await queues().resume(name)),
      deleteBefore: (batch: { limit: number; keepsCancelled?: boolean }) => deleteBefore(this.#database.driver, batch),
      rescue: (job: Named) => rescue(this.#database.driver, job),
      updateQueue: ({ name, metadata }: QueueParams) => oneQueue(queues().update(name, { metadata })),
      requestResign: () => this.#opened.requestLeadershipResignation(),
      migrate: (params: MigrateParams) => this.#migrate(params),
      validate: () => this.#validate(),
    };
  }
}

interface Named {
  readonly id: string;
}
interface InTransaction {
  readonly tx?: number;
}
interface QueueParams {
  readonly name: string;
  readonly metadata: JsonObject;
}
interface MigrateParams {
  readonly direction: "down" | "up";
  readonly targetVersion?: number;
  readonly maxSteps?: number;
}

async function one(row: Promise<JobRow | null>): Promise<object | null> {
  const found = await row;
  return found && jobToJsonValue(found);
}

async function oneQueue(row: Promise<QueueRow | null>): Promise<object | null> {
  const found = await row;
  return found && queueToJson(found);
}

function queueToJson({ name, metadata, createdAt, pausedAt, updatedAt }: QueueRow): object {
  return {
    name,
    metadata,
    createdAt: createdAt.toString(),
    pausedAt: pausedAt?.toString() ?? null,
    updatedAt: updatedAt.toString(),
  };
}

/** Every event as a line, with the names that both sides have. */
async function report(client: Client): Promise<void> {
  for await (const event of client.subscribe({ capacity: 100_000 })) {
    const line: Record<string, unknown> = { event: event.kind };
    if ("job" in event) {
      Object.assign(line, {
        jobId: String(event.job.id),
        attempt: event.job.attempt,
        kind: event.job.kind,
        state: event.job.state,
      });
    } else if ("queue" in event) line["queue"] = event.queue.name;
    say(line);
  }
}
