/** Migrations that one side makes and the other uses, takes back and makes again. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { type InteropWorld, interopTest } from "../src/interop-test.ts";
import type { Peer } from "../src/peer.ts";
import { type Backend, DIRECTIONS } from "../src/peer-values.ts";

failOnLeaks();

const ALL = [1, 2, 3, 4, 5, 6, 7, 8];
const UP = { direction: "up" };
const DOWN = { direction: "down", targetVersion: -1 };

async function assertValid(peer: Peer): Promise<void> {
  assert.deepEqual({ ...(await peer.call<object>("validate")) }, { ok: true, messages: [], versions: ALL });
}

/** What tells whether two sets of tables are alike; the texts of SQLite's statements are each side's own. */
const CATALOGUE: Readonly<Record<Backend, readonly string[]>> = {
  postgres: [
    `SELECT table_name, ordinal_position, column_name, udt_name, is_nullable, column_default
     FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
    "SELECT relname, relpersistence FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
    `SELECT conrelid::regclass::text AS of, conname, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    `SELECT enumtypid::regtype::text AS type, enumlabel, rank() OVER (PARTITION BY enumtypid ORDER BY enumsortorder) AS place
     FROM pg_enum ORDER BY 1, 3`,
    `SELECT proname, pg_get_function_arguments(oid) AS arguments, pg_get_function_result(oid) AS result, provolatile
     FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1, 2`,
    "SELECT tgrelid::regclass::text AS of, tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2",
  ],
  sqlite: [
    `SELECT t.name AS "table", c.cid, c.name, c.type, c."notnull", c.pk, c.hidden,
       replace(c.dflt_value, 'current_timestamp', 'CURRENT_TIMESTAMP') AS "default"
     FROM sqlite_master AS t, pragma_table_xinfo(t.name) AS c WHERE t.type = 'table' ORDER BY t.name, c.cid`,
    `SELECT t.name AS "table", i.name, i."unique", i.origin, i.partial, c.seqno, c.name AS "column", c."desc", c.coll, c."key"
     FROM sqlite_master AS t, pragma_index_list(t.name) AS i, pragma_index_xinfo(i.name) AS c
     WHERE t.type = 'table' ORDER BY t.name, i.name, c.seqno`,
    `SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index') ORDER BY 1, 2`,
  ],
};

async function catalogueOf({ backend, query }: InteropWorld): Promise<unknown[]> {
  const parts: unknown[] = [];
  for (const sql of CATALOGUE[backend]) parts.push((await query(sql)).map((row) => ({ ...row })));
  return parts;
}

/** One inserts and the other works. */
async function use(producer: Peer, worker: Peer): Promise<void> {
  await producer.open();
  await worker.work({ queues: { default: 1 }, kinds: ["task"] });
  const { job } = await producer.insert({ kind: "task", args: { a: 1 }, unique: { byArgs: true } });
  await worker.whenJob("job_completed", job.id);
  await worker.call("stop");
}

for (const [from, to] of DIRECTIONS) {
  interopTest(
    `${from} migrates up, ${to} uses the tables, takes them away and makes them again`,
    async (_, { peer }) => {
      const [first, second] = [await peer(from), await peer(to)];
      assert.deepEqual(await first.call("migrate", UP), ALL);
      await assertValid(second);
      assert.deepEqual(await second.call("migrate", UP), [], "nothing is left to do");
      await use(first, second);
      assert.deepEqual(await second.call("migrate", DOWN), ALL.toReversed());
      assert.deepEqual(await second.call("migrate", UP), ALL);
      await assertValid(first);
      await use(second, await peer(from));
      assert.deepEqual(await first.call("migrate", DOWN), ALL.toReversed());
    },
    { empty: true },
  );

  interopTest(
    `${from} and ${to} migrate by turns, one version at a time, up and down`,
    async (_, { peer }) => {
      const sides = [await peer(from), await peer(to)];
      for (const direction of ["up", "down", "up"]) {
        for (const [index, version] of (direction === "up" ? ALL : ALL.toReversed()).entries()) {
          assert.deepEqual(await sides[index % 2]?.call("migrate", { direction, maxSteps: 1 }), [version]);
        }
      }
      for (const side of sides) await assertValid(side);
      await use(sides[0] as Peer, sides[1] as Peer);
    },
    { empty: true },
  );
}

interopTest(
  "both sides make the same tables, at every version, up and down",
  async (_, world) => {
    const stages: Record<string, unknown[][]> = {};
    for (const side of ["go", "ours"] as const) {
      const migrator = await world.peer(side);
      const made: unknown[][] = (stages[side] = []);
      for (const direction of ["up", "down"]) {
        for (const _version of ALL) {
          await migrator.call("migrate", { direction, maxSteps: 1 });
          made.push(await catalogueOf(world));
        }
      }
    }
    for (const [stage, expected] of (stages["go"] ?? []).entries()) {
      const at = stage < ALL.length ? `up to ${stage + 1}` : `down from ${2 * ALL.length - stage}`;
      assert.deepEqual(stages["ours"]?.[stage], expected, at);
    }
  },
  { empty: true },
);

interopTest(
  "below version 5 rows of other lines stop Go half way on Postgres and are taken for the main line's by it on SQLite; we refuse beforehand",
  async (_, { peer, query, backend }) => {
    const [ours, go] = [await peer("ours"), await peer("go")];
    const belowFive = { direction: "down", targetVersion: 4 };
    const others = "SELECT line, version FROM river_migration WHERE line <> 'main'";
    await query("INSERT INTO river_migration (line, version) VALUES ('other', 99)");
    await assert.rejects(ours.call("migrate", belowFive), /MigrationError/);
    assert.equal((await query(others)).length, 1);
    await assertValid(go);
    if (backend === "sqlite") {
      assert.deepEqual(await go.call("migrate", belowFive), [8, 7, 6, 5]);
      await ours.call("migrate", UP);
      assert.deepEqual(await query(others), [], "Go has lost what line the row is of");
      return;
    }
    await assert.rejects(go.call("migrate", belowFive), /P0001/);
    assert.deepEqual((await ours.call<{ versions: number[] }>("validate")).versions, [1, 2, 3, 4, 5]);
    assert.equal((await query(others)).length, 1);
  },
);
