/** The fleet's statements and figures, on every database. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import test from "node:test";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { failOnLeaks, leaseSqliteDatabase, ManualClock, plain } from "@riverqueue/internal-test-kit";
import { leasePostgresDatabase, postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import { createMigrator } from "@riverqueue/migrate";
import { Client } from "../../src/client/river-client.ts";
import type { RuntimeDriver } from "../../src/driver/driver.ts";
import { FleetStore } from "../../src/fleet/fleet-store.ts";
import type { Heartbeat } from "../../src/fleet/heartbeat.ts";
import { COUNT, COUNT_COLUMNS, type MinuteRow } from "../../src/fleet/minute-counts.ts";
import { attachEnvironment } from "../../src/kit/environment.ts";
import { DatabaseOperationError } from "../../src/model/errors/database-operation-error.ts";
import { manualEnvironment } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const CALL = { timeoutMs: 30_000 };
const MINUTE = Date.UTC(2026, 0, 2, 3, 4);

/** A driver on a database at the latest version of the main line. */
type Open = (t: TestContext) => Promise<RuntimeDriver<never>>;

const BACKENDS: readonly (readonly [name: string, register: typeof postgresTest, open: Open])[] = [
  [
    "SQLite",
    (title, body) => void test(title, body),
    async (t) => {
      const database = (await leaseSqliteDatabase(t)).open();
      const driver = new SqliteDriver(database);
      t.after(() => driver.close());
      return driver;
    },
  ],
  ["Postgres", postgresTest, async (t) => new PgDriver((await leasePostgresDatabase(t)).pool())],
  [
    "Postgres in a schema of its own",
    postgresTest,
    async (t) => {
      const lease = await leasePostgresDatabase(t);
      await lease.query(`create schema "it's"`);
      const pool = lease.pool();
      await createMigrator({ pool, schema: "it's" }).migrateUp();
      return new PgDriver(pool, { schema: "it's" });
    },
  ],
];

function storeOn({ backend, extension }: RuntimeDriver<never>, now?: string): FleetStore<never> {
  return new FleetStore({ backend, extension, now: now === undefined ? null : () => Temporal.Instant.from(now) });
}

async function migrate(driver: RuntimeDriver<never>): Promise<void> {
  await createMigrator(driver, { line: "fleet" }).migrateUp();
}

function heartbeat(overrides: Partial<Heartbeat> = {}): Heartbeat {
  return {
    clientId: 'it\'s "me" é😀',
    host: "h",
    processId: 7,
    version: "1.2.3",
    runtime: "node 26",
    state: "running",
    startedAt: Temporal.Instant.from("2026-01-02T03:04:05.678901Z"),
    queues: '{"default":{"max_workers":3,"paused":true}}',
    running: 2,
    loopDelay: { max: 21.5, mean: 20.25, p99: 21 },
    executors: '{"threads":{"active":1,"text":"é \\"😀\\""}}',
    ...overrides,
  };
}

function minuteRow(kind: string, counts: Partial<Record<number, number>>, minuteMs = MINUTE): MinuteRow {
  return { minuteMs, queue: "q", kind, counts: COUNT_COLUMNS.map((_, position) => counts[position] ?? 0) };
}

for (const [name, register, open] of BACKENDS) {
  register(`${name}: without the line every figure is null, and a statement fails as a database's does`, async (t) => {
    const driver = await open(t);
    const { inspect } = new Client(driver);
    assert.deepEqual(
      [
        await inspect.fleetClients(),
        await inspect.fleetMinutes(),
        await inspect.fleetLatency(),
        await inspect.fleetAudit(),
      ],
      [null, null, null, null],
    );
    const store = storeOn(driver);
    assert.equal(await store.isMigrated(CALL), false);
    await assert.rejects(store.beat(heartbeat(), CALL), DatabaseOperationError);
    await migrate(driver);
    assert.equal(await store.isMigrated(CALL), true);
    assert.deepEqual(
      [
        await inspect.fleetClients(),
        await inspect.fleetMinutes(),
        await inspect.fleetLatency(),
        await inspect.fleetAudit(),
      ],
      [[], [], [], []],
    );
  });

  register(`${name}: a client counts as live for less than 30 seconds after its heartbeat`, async (t) => {
    const driver = await open(t);
    await migrate(driver);
    await storeOn(driver, "2026-01-02T03:05:00Z").beat(heartbeat(), CALL);
    for (const [now, live] of [
      ["2026-01-02T03:05:29.999Z", true],
      ["2026-01-02T03:05:30.001Z", false],
    ] as const) {
      const options = attachEnvironment({}, manualEnvironment(new ManualClock(now)));
      const clients = await new Client(driver, options).inspect.fleetClients();
      assert.deepEqual(
        clients?.map((client) => client.live),
        [live],
      );
    }
  });

  register(`${name}: a heartbeat replaces the client's row, and leaving removes it`, async (t) => {
    const driver = await open(t);
    await migrate(driver);
    const { inspect } = new Client(driver);
    const store = storeOn(driver);
    await storeOn(driver, "2026-01-02T03:05:00Z").beat(
      heartbeat({ clientId: "other", loopDelay: null, version: null }),
      CALL,
    );
    await store.beat(heartbeat({ host: "elsewhere", running: 9 }), CALL);
    await store.beat(heartbeat(), CALL);
    const [first, second, ...others] = (await inspect.fleetClients()) ?? [];
    assert.deepEqual(others, []);
    assert.ok(first && second);
    const { seenAt, startedAt, eventLoopDelay, ...rest } = first;
    assert.deepEqual(plain(rest), {
      clientId: 'it\'s "me" é😀',
      host: "h",
      processId: 7,
      version: "1.2.3",
      runtime: "node 26",
      state: "running",
      queues: { default: { maxWorkers: 3, paused: true } },
      running: 2,
      executors: { threads: { active: 1, text: 'é "😀"' } },
      live: true,
    });
    assert.ok(Math.abs(Temporal.Now.instant().since(seenAt).total("seconds")) < 60);
    assert.equal(startedAt.toString(), "2026-01-02T03:04:05.679Z");
    const { max, mean, p99 } = eventLoopDelay ?? assert.fail();
    assert.deepEqual([max, mean, p99].map(String), ["PT0.0215S", "PT0.02025S", "PT0.021S"]);
    assert.deepEqual(
      [second.clientId, second.seenAt.toString(), second.live, second.eventLoopDelay, second.version],
      ["other", "2026-01-02T03:05:00Z", false, null, null],
    );
    await store.leave('it\'s "me" é😀', CALL);
    assert.deepEqual(
      (await inspect.fleetClients())?.map(({ clientId }) => clientId),
      ["other"],
    );
  });

  register(`${name}: counts of several clients add up, also at the same time`, async (t) => {
    const driver = await open(t);
    await migrate(driver);
    const store = storeOn(driver);
    const [a, b] = [minuteRow("a", { [COUNT.inserted]: 1, [COUNT.latency]: 2 }), minuteRow("b", { [COUNT.failed]: 1 })];
    // In both orders, for which the statement has one.
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.addMinutes(n % 2 === 0 ? [a, b] : [b, a], CALL)));
    await store.addMinutes([minuteRow("a", { [COUNT_COLUMNS.length - 1]: 5 }, MINUTE + 60_000)], CALL);
    const { inspect } = new Client(driver);
    const minutes = (await inspect.fleetMinutes()) ?? [];
    assert.deepEqual(
      minutes.map(({ minute, queue, kind, inserted, completed, failed, latency }) => [
        minute.toString(),
        queue,
        kind,
        [inserted, completed, failed],
        latency.filter(({ jobs }) => jobs > 0).map(({ upTo, jobs }) => [upTo?.toString() ?? null, jobs]),
      ]),
      [
        ["2026-01-02T03:05:00Z", "q", "a", [0, 0, 0], [[null, 5]]],
        ["2026-01-02T03:04:00Z", "q", "a", [20, 0, 0], [["PT0.01S", 40]]],
        ["2026-01-02T03:04:00Z", "q", "b", [0, 0, 20], []],
      ],
    );
    assert.equal((await inspect.fleetMinutes({ limit: 1 }))?.length, 1);
  });

  register(`${name}: latency is that of the last 15 minutes, by queue`, async (t) => {
    const driver = await open(t);
    await migrate(driver);
    const now = Math.floor(Temporal.Now.instant().epochMilliseconds / 60_000) * 60_000;
    const last = COUNT_COLUMNS.length - 1;
    await storeOn(driver).addMinutes(
      [
        minuteRow("a", { [COUNT.latency]: 97, [COUNT.latency + 4]: 2, [last]: 1 }, now),
        minuteRow("a", { [last]: 900 }),
      ],
      CALL,
    );
    const [latency, ...others] = (await new Client(driver).inspect.fleetLatency()) ?? [];
    assert.deepEqual(others, []);
    const { queue, started, p50, p95, p99 } = latency ?? assert.fail();
    assert.deepEqual([queue, started, String(p50), String(p95), String(p99)], ["q", 100, "PT0.01S", "PT0.01S", "PT1S"]);
  });

  register(`${name}: the audit trail keeps its order, and takes entries of other programs`, async (t) => {
    const driver = await open(t);
    await migrate(driver);
    const at = Temporal.Instant.from("2026-01-02T03:04:05.678Z");
    const notes = [
      { at, action: "queue_paused", subject: 'q"1' },
      { at, action: "leader_lost", subject: null },
    ];
    await storeOn(driver).addNotes("me", notes, CALL);
    const table = driver.extension.tableName("river_fleet_audit");
    const details = driver.backend === "sqlite" ? "jsonb('{\"n\":1}')" : "'{\"n\":1}'";
    const text = `INSERT INTO ${table} (actor, action, details) VALUES ('ops', 'jobs_deleted', ${details})`;
    await driver.extension.run([{ text, values: [] }]);
    const entries = (await new Client(driver).inspect.fleetAudit()) ?? [];
    assert.deepEqual(
      entries.map(({ clientId, actor, action, subject, details: more }) =>
        plain([clientId, actor, action, subject, more]),
      ),
      [
        [null, "ops", "jobs_deleted", null, { n: 1 }],
        ["me", null, "leader_lost", null, {}],
        ["me", null, "queue_paused", 'q"1', {}],
      ],
    );
    assert.equal(entries[2]?.createdAt.toString(), at.toString());
    assert.ok(entries.every(({ id }) => typeof id === "bigint"));
  });

  register(`${name}: 10,000 old rows of a table are deleted at once, and more may be left then`, async (t) => {
    const driver = await open(t);
    await migrate(driver);
    const term = (await driver.leader.elect({ clientId: "leader", ttlMs: 60_000 })) ?? assert.fail();
    const store = storeOn(driver);
    const old = Array.from({ length: 10_001 }, (_, n) => minuteRow(`kind ${n}`, {}));
    await store.addMinutes(old, CALL);
    const settings = { clientRetentionMs: 3_600_000, minuteRetentionMs: 3_600_000, auditRetentionMs: 3_600_000 };
    const { inspect } = new Client(driver);
    assert.equal(await store.deleteOld(term, settings, CALL), false);
    assert.equal((await inspect.fleetMinutes())?.length, 1);
    assert.equal(await store.deleteOld(term, settings, CALL), true);
    assert.deepEqual(await inspect.fleetMinutes(), []);
  });

  register(`${name}: old rows are deleted for the present leader only`, async (t) => {
    const driver = await open(t);
    await migrate(driver);
    const term = (await driver.leader.elect({ clientId: "leader", ttlMs: 60_000 })) ?? assert.fail();
    const store = storeOn(driver);
    const now = Temporal.Now.instant();
    await storeOn(driver, now.subtract({ minutes: 70 }).toString()).beat(heartbeat({ clientId: "silent" }), CALL);
    await storeOn(driver, now.subtract({ minutes: 50 }).toString()).beat(heartbeat({ clientId: "late" }), CALL);
    const recent = Math.floor(now.epochMilliseconds / 60_000) * 60_000;
    await store.addMinutes([minuteRow("old", {}, recent - 7_200_000), minuteRow("new", {}, recent)], CALL);
    const note = (hours: number) => ({ at: now.subtract({ hours }), action: `${hours}`, subject: null });
    await store.addNotes("me", [note(1), note(3)], CALL);
    const { inspect } = new Client(driver);
    const left = async (): Promise<unknown[]> => [
      (await inspect.fleetClients())?.map(({ clientId }) => clientId),
      (await inspect.fleetMinutes())?.map(({ kind }) => kind),
      (await inspect.fleetAudit())?.map(({ action }) => action),
    ];
    const settings = { clientRetentionMs: 3_600_000, minuteRetentionMs: 3_600_000, auditRetentionMs: 7_200_000 };
    const before = await left();
    const over = { ...term, electedAt: term.electedAt.subtract({ seconds: 1 }) };
    assert.equal(await store.deleteOld(over, settings, CALL), true);
    assert.equal(await store.deleteOld({ ...term, leaderId: "usurper" }, settings, CALL), true);
    const expired = storeOn(driver, now.add({ minutes: 2 }).toString());
    assert.equal(await expired.deleteOld(term, settings, CALL), true);
    assert.deepEqual(await left(), before);
    assert.equal(await store.deleteOld(term, settings, { ...CALL, lane: "background" }), true);
    assert.deepEqual(await left(), [["late"], ["new"], ["1"]]);
  });
}
