/** The conformance suite on Postgres. */
import type { TestContext } from "node:test";
import {
  type BlockedReads,
  conform,
  type Damage,
  type DriverUnderTest,
  type OpenTransaction,
  type RawDatabase,
  type UnusableHandle,
} from "@riverqueue/internal-driver-conformance";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresMissing, type LeasedPostgresDatabase } from "@riverqueue/internal-test-kit/postgres-database";
import { driverFixture } from "./fixture/driver-fixture.ts";

failOnLeaks();

conform({ name: "Postgres", missing: postgresMissing(), skips: {}, open });

async function open(t: TestContext): Promise<DriverUnderTest> {
  const { driver, pool, lease } = await driverFixture(t);
  return {
    driver,
    raw: rawDatabase(lease),
    begin: () => begin(lease),
    blockReads: () => blockReads(lease),
    openStranger: async () => (await driverFixture(t)).driver,
    unusableHandles: async () => [
      { what: "a connection without a transaction", tx: await lease.connect(), code: "transaction_scope" },
      { what: "a pool", tx: pool, code: "transaction_scope" },
      ...WRONG_KINDS,
    ],
  };
}

const WRONG_KINDS: readonly UnusableHandle[] = [
  { what: "an object without queries", tx: { exec: () => undefined }, code: "backend_mismatch" },
  { what: "no object", tx: "postgres://localhost", code: "backend_mismatch" },
];

function rawDatabase(lease: LeasedPostgresDatabase): RawDatabase {
  return {
    query: (sql) => lease.query(sql),
    time: (instant) => literal(instant.toString()),
    json: (text) => `${literal(text)}::jsonb`,
    texts: (values) => `ARRAY[${values.map(literal).join(",")}]::text[]`,
    placeholder: (position) => `$${position}`,
    bytesType: "bytea",
    damages: damages(),
  };
}

async function begin(lease: LeasedPostgresDatabase): Promise<OpenTransaction> {
  const client = await lease.connect();
  await client.query("BEGIN");
  return {
    scope: { owner: "caller", tx: client },
    lockJob: async (id) => void (await client.query("SELECT id FROM river_job WHERE id = $1 FOR UPDATE", [String(id)])),
    commit: async () => void (await client.query("COMMIT")),
    rollback: async () => void (await client.query("ROLLBACK")),
  };
}

async function blockReads(lease: LeasedPostgresDatabase): Promise<BlockedReads> {
  const client = await lease.connect();
  await client.query("BEGIN; LOCK TABLE river_job IN ACCESS EXCLUSIVE MODE");
  return { timeoutMs: 100, release: async () => void (await client.query("ROLLBACK")) };
}

function damages(): Damage[] {
  const ofObjects = (["args", "metadata"] as const).flatMap((column) =>
    ["5", "[]", '"text"', "null"].map((text) => ({
      column,
      what: `${column} holding ${text}`,
      value: `${literal(text)}::jsonb`,
    })),
  );
  return [
    ...ofObjects,
    { column: "attempted_by", what: "attempted_by of two dimensions", value: "'{{a},{b}}'" },
    { column: "errors", what: "errors of two dimensions", value: "array[array['1'::jsonb]]" },
    { column: "tags", what: "tags of two dimensions", value: "'{{a},{b}}'" },
    { column: "tags", what: "tags with a null", value: "'{a,NULL}'" },
    { column: "created_at", what: "created_at at no time", value: "'infinity'" },
  ];
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
