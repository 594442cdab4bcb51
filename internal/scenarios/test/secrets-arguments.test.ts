/** What is refused before any database hears of it is named by its path, and told nothing of. */
import assert from "node:assert/strict";
import test from "node:test";
import { PgDriver } from "@riverqueue/driver-pg";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createMigrator } from "@riverqueue/migrate";
import { Pool } from "pg";
import { Client, complete, defineJob, type RiverError } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { failCommand } from "../src/fail-command.ts";
import { CANARY, Leaks } from "../src/leaks.ts";
import { openScene, task } from "../src/scene.ts";

failOnLeaks();

/** Values that are no JSON, or not the JSON that is expected, and hold a secret. */
const WRONG: readonly (readonly [what: string, value: unknown])[] = [
  ["a text", CANARY.args],
  ["a list", [CANARY.args]],
  ["a function", () => CANARY.args],
  ["a symbol", Symbol(CANARY.args)],
  ["a date that is none", Object.assign(new Date(Number.NaN), { secret: CANARY.args })],
  ["a map", new Map([[CANARY.args, 1]])],
  ["a text with a NUL", { deep: [{ secret: `${CANARY.args}\0` }] }],
  ["half an emoji", { secret: `${CANARY.args}\ud800` }],
  ["an error", { secret: new Error(CANARY.args) }],
  [
    "a value that throws",
    Object.defineProperty({}, "secret", { enumerable: true, get: () => assert.fail(CANARY.args) }),
  ],
  ["a value whose JSON throws", { toJSON: () => assert.fail(CANARY.args) }],
];

onBothDatabases(
  "a value that is refused as arguments, metadata, tags, output or filter is not repeated in the error",
  async (t, database) => {
    const leaks = new Leaks();
    const { client, insert, states } = openScene(t, database);
    const [id = 0n] = await insert();
    for (const [what, value] of WRONG) {
      const any = value as never;
      const calls: Record<string, () => unknown> = {
        arguments: () => client.insert(task, any),
        "arguments of one of many": () =>
          client.insertMany([
            { job: task, args: {} },
            { job: task, args: any },
          ]),
        metadata: () => client.insert(task, {}, { metadata: any }),
        tags: () => client.insert(task, {}, { tags: what === "a list" ? ([{ secret: any }] as never) : any }),
        "a delay": () => client.insert(task, {}, { delay: any }),
        "a time": () => client.insert(task, {}, { scheduledAt: any }),
        "changed metadata": () => client.jobs.update(id, { metadata: any }),
        "a filter": () => client.jobs.list({ metadata: any }),
        "a cursor": () => client.jobs.list({ after: any }),
        "an ID": () => client.jobs.get(any),
        "a transaction": () => client.insert(task, {}, { tx: any }),
      };
      for (const [where, call] of Object.entries(calls)) {
        const error = await leaks.failure(`${what} as ${where}`, async () => call());
        const expected =
          where === "a transaction" ? /^(?:backend_mismatch|transaction_scope|validation)$/ : /^validation$/;
        assert.match((error as RiverError).code, expected, `${what} as ${where}: ${error.message}`);
      }
    }
    await leaks.failure("an output", async () => complete({ output: (() => CANARY.output) as never }));
    assert.deepEqual(await states(), { available: 1 });
    leaks.assertNone();
  },
);

test("an address that cannot be understood, or stands where none belongs, is not repeated with its password", async () => {
  const leaks = new Leaks();
  const secret = `postgres://ana:${CANARY.password}@`;
  const commandLines: readonly (readonly string[])[] = [
    ["migrate-up", "--database-url", `${secret}host:99999999/db`],
    ["migrate-up", "--database-url", `${secret}ho st/db`],
    ["migrate-up", "--database-url", secret],
    ["migrate-up", "--database-url", `mysql://ana:${CANARY.password}@host/db`],
    ["migrate-up", "--database-url", `postgres://ana:${CANARY.password}/x@127.0.0.1:1/db`],
    ["migrate-up", "--database-url", `postgres://ana:x@${CANARY.password}@127.0.0.1:1/db`],
    ["migrate-up", "--database-url", `${secret}127.0.0.1:1/db?sslmode=nonsense`],
    ["migrate-up", "--database-url", `postgres://127.0.0.1:1/db?user=ana&password=${CANARY.password}`],
    ["migrate-up", "--databse-url", `${secret}host/db`],
    ["migrate-up", `--databse-url=${secret}host/db`],
    ["migrate-up", `${secret}host/db`],
    [`${secret}host/db`],
  ];
  for (const argv of commandLines) {
    await failCommand(leaks, argv.join(" ").replaceAll(CANARY.password, "…"), argv);
  }
  leaks.assertNone();
});

test("options of a client, a driver and a migrator that are wrong are not repeated", async (t) => {
  const leaks = new Leaks();
  const pool = new Pool({ password: CANARY.password, host: "127.0.0.1", port: 1 });
  t.after(() => pool.end());
  const wrong: Record<string, () => unknown> = {
    "a pool for a driver's options": () => new PgDriver(pool, pool as never),
    "an address for a driver": () => new PgDriver(`postgres://ana:${CANARY.password}@host/db` as never),
    "an address for a client": () => new Client(`postgres://ana:${CANARY.password}@host/db` as never),
    "a pool for a client": () => new Client(pool as never),
    "an address for a migrator": () => createMigrator(`postgres://ana:${CANARY.password}@host/db` as never),
    "metadata by default": () =>
      new Client(new PgDriver(pool), { defaultInsertOptions: { metadata: CANARY.metadata as never } }),
    "metadata of a definition": () =>
      defineJob({ kind: "k", defaults: { metadata: [CANARY.metadata] as never, tags: [`${CANARY.tag}\0`] } }),
  };
  for (const [what, make] of Object.entries(wrong)) await leaks.failure(what, async () => make());
  leaks.assertNone();
});
