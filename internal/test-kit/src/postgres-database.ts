/** A migrated Postgres database for one test: a copy of a template, or the database of a test that left it as it was. */
import test, { type TestContext, type TestOptions } from "node:test";
import type { Client, ClientConfig, Pool, PoolConfig } from "pg";
import { findPostgresBinaries } from "./postgres-binaries.ts";
import { connectTo, PostgresConnections } from "./postgres-connections.ts";
import { startPostgresServer } from "./postgres-server.ts";
import { createTemplate, databaseAddress, dropTemplate, TEMPLATE_VARIABLE } from "./postgres-template.ts";

/** See {@link leasePostgresDatabase}. */
export interface LeasedPostgresDatabase {
  readonly name: string;
  readonly url: string;
  /** A new pool on it, ended after the test. Errors of idle connections are swallowed. */
  pool(config?: PoolConfig): Pool;
  /** A new connection to it, ended after the test. */
  connect(config?: ClientConfig): Promise<Client>;
  /** Runs one statement on a connection that all calls share; rows by column name. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

interface Cluster {
  readonly url: string;
  /** Name of a migrated database to copy. */
  readonly template: string;
  /** No other process copies it. */
  readonly ownsTemplate: boolean;
  /** Creates and drops the others. */
  readonly admin: Client;
  /** Databases that no test has now, empty. */
  readonly idle: Lease[];
}

let cluster: Promise<Cluster> | undefined;
let leases = 0;

// Here, because a hook that is registered inside of a test belongs to that test.
test.after(async () => {
  const opened = await cluster;
  if (opened === undefined) return;
  for (const lease of opened.idle) await drop(opened, lease);
  await opened.admin.end();
  if (opened.ownsTemplate) await dropTemplate(opened.url, opened.template);
});

/** Why tests that need Postgres cannot run here; false when they can. */
export function postgresMissing(): string | false {
  if (process.env["DATABASE_URL"] || findPostgresBinaries() !== null) return false;
  return "no Postgres: DATABASE_URL is not set, and neither npm's nor Debian's programs are installed";
}

/** A test that is skipped, with the reason, where no Postgres can be had; in continuous integration it fails there. */
export function postgresTest(title: string, body: (t: TestContext) => Promise<void>, options: TestOptions = {}): void {
  const skip = process.env["CI"] ? false : postgresMissing();
  void test(title, { ...options, skip }, body);
}

/**
 * A database of its own for the test, with River's tables in `public` and nothing in them, on the server of
 * `DATABASE_URL` (whose role may create databases) or else on one that this process starts. It is kept, with its name
 * among the test's output, when the test fails.
 */
export async function leasePostgresDatabase(t: TestContext): Promise<LeasedPostgresDatabase> {
  cluster ??= openCluster();
  const opened = await cluster;
  const lease = opened.idle.pop() ?? (await openLease(opened));
  t.after(async () => {
    await lease.endConnections();
    if (!t.passed) {
      t.diagnostic(`kept database ${lease.name}`);
      await lease.end();
    } else if (await lease.empty()) opened.idle.push(lease);
    else await drop(opened, lease);
  });
  return lease;
}

async function openLease({ url, template, admin }: Cluster): Promise<Lease> {
  const name = `river_test_${process.pid}_${++leases}`;
  await admin.query(`create database ${name} template ${template} strategy file_copy`);
  const address = databaseAddress(url, name);
  return new Lease(name, address, await connectTo({ connectionString: address }));
}

async function drop({ admin }: Cluster, lease: Lease): Promise<void> {
  await lease.end();
  await admin.query(`drop database if exists ${lease.name} with (force)`);
}

/** Changes with every change of the schema, rebuilt indexes included. */
const FINGERPRINT = `select concat(
    (select string_agg(concat_ws(' ', oid, relname, relfilenode, relnatts), ',' order by oid) from pg_class where oid >= 16384),
    (select string_agg(concat_ws(' ', attrelid, attname, atttypid), ',' order by attrelid, attnum) from pg_attribute
      where attrelid >= 16384),
    (select string_agg(concat_ws(' ', oid, proname), ',' order by oid) from pg_proc where oid >= 16384),
    (select string_agg(concat_ws(' ', oid, conname), ',' order by oid) from pg_constraint where oid >= 16384),
    (select string_agg(concat_ws(' ', oid, nspname), ',' order by oid) from pg_namespace)
  ) as text`;

/** Emptying changes nothing that the fingerprint covers: rows go by DELETE, and these tables are small. */
const EMPTY = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend';
  delete from river_job; delete from river_leader; delete from river_queue; delete from river_notification;
  select setval('river_job_id_seq', 1, false), setval('river_notification_id_seq', 1, false)`;

class Lease implements LeasedPostgresDatabase {
  readonly name: string;
  readonly url: string;
  readonly #keeper: Client;
  readonly #fingerprint: Promise<unknown>;
  readonly #connections: PostgresConnections;

  constructor(name: string, url: string, keeper: Client) {
    this.name = name;
    this.url = url;
    this.#keeper = keeper;
    this.#fingerprint = this.#readFingerprint();
    this.#connections = new PostgresConnections(url);
  }

  pool(config?: PoolConfig): Pool {
    return this.#connections.pool(config);
  }

  connect(config?: ClientConfig): Promise<Client> {
    return this.#connections.connect(config);
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#keeper.query<Record<string, unknown>>(text, [...values])).rows;
  }

  async endConnections(): Promise<void> {
    await this.#connections.end();
  }

  async end(): Promise<void> {
    await this.#keeper.end();
  }

  /** Makes it as new for another test; false where that cannot be. */
  async empty(): Promise<boolean> {
    try {
      const before = await this.#fingerprint;
      await this.#keeper.query(EMPTY);
      await this.#keeper.query("discard all");
      return (await this.#readFingerprint()) === before;
    } catch {
      return false;
    }
  }

  async #readFingerprint(): Promise<unknown> {
    return (await this.query(FINGERPRINT))[0]?.["text"];
  }
}

/** A server and, on it, a migrated database to copy: the one that the run has prepared, or one of this process. */
async function openCluster(): Promise<Cluster> {
  const prepared = process.env[TEMPLATE_VARIABLE];
  const url = process.env["DATABASE_URL"] || (await startPostgresServer()).url;
  const template = prepared ?? `river_template_${process.pid}`;
  if (prepared === undefined) await createTemplate(url, template);
  const admin = await connectTo({ connectionString: url });
  return { url, template, ownsTemplate: prepared === undefined, admin, idle: [] };
}
