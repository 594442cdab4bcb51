/** Numbers that a JavaScript number cannot hold, on every hop that a job makes. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import {
  complete,
  isExactJsonNumber,
  jobFromJsonValue,
  type JobRow,
  jobToJsonValue,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from "riverqueue";
import { type Database, onBothDatabases } from "../src/database.ts";
import { insertRaw } from "../src/raw-jobs.ts";
import { openScene, task } from "../src/scene.ts";

failOnLeaks();

const ID = "9007199254740993";
const MIN = "-9223372036854775808";
const D = "0.1000000000000000055511151231257827";
const NUMBERS = `{"id":${ID},"min":${MIN},"d":${D},"big":1e400}`;

/** As the database gives them back: SQLite the text, Postgres every digit, with short keys first. */
function storedNumbers({ backend }: Database): string {
  return backend === "sqlite" ? NUMBERS : `{"d":${D},"id":${ID},"big":1${"0".repeat(400)},"min":${MIN}}`;
}

function assertExact(value: JsonValue | undefined, expected: string, hop: string): void {
  assert.ok(value !== undefined, hop);
  assert.equal(stringifyJson(value), expected, hop);
  const { big } = value as { readonly big: JsonValue };
  assert.ok(isExactJsonNumber(big), hop);
}

/** Arguments, and the copies that handler and update made, in a row and in its form as JSON and back. */
function assertExactRow(row: JobRow, expected: string, hop: string): void {
  for (const [form, job] of [
    ["row", row],
    ["JSON", jobFromJsonValue(parseJson(stringifyJson(jobToJsonValue(row))))],
    ["JSON.stringify", jobFromJsonValue(parseJson(JSON.stringify(row)))],
  ] as const) {
    assertExact(job.args, expected, `${hop}: args, ${form}`);
    assertExact(job.metadata["output"], expected, `${hop}: output, ${form}`);
    assertExact(job.metadata["copy"], expected, `${hop}: metadata, ${form}`);
  }
}

for (const by of ["SQL", "the client"]) {
  onBothDatabases(
    `C03 every digit of a job inserted by ${by} survives handler, output, metadata, a retry and copies as JSON`,
    async (t, database) => {
      const expected = storedNumbers(database);
      const seen: JsonValue[] = [];
      const { start, client, events } = openScene(t, database, {
        client: { retryPolicy: (_, now) => now },
        handler: ({ job, setMetadata, recordOutput }) => {
          seen.push(job.rawArgs, job.args);
          setMetadata("copy", job.rawArgs);
          recordOutput(job.rawArgs);
          if (job.attempt === 1) throw new Error("once");
          const { output, copy } = job.metadata;
          seen.push(output ?? null, copy ?? null);
          return complete({ output: job.rawArgs });
        },
      });
      if (by === "SQL") await insertRaw(database, [{ args: NUMBERS }]);
      else await client.insert(task, parseJson(NUMBERS) as JsonObject);
      await start();
      const [failed] = await events.when("job_failed");
      const [completed] = await events.when("job_completed");
      assert.equal(seen.length, 6, "two calls of the handler");
      for (const value of seen) assertExact(value, expected, "handler");
      assert.ok(failed && completed);
      assertExactRow(failed.job, expected, "job_failed");
      assertExactRow(completed.job, expected, "job_completed");

      const job = await client.jobs.get(completed.job.id);
      assert.ok(job);
      assert.deepEqual([job.state, job.attempt, job.errors.length], ["completed", 2, 1]);
      assertExactRow(job, expected, "jobs.get");
      const [listed] = (await client.jobs.list({ kinds: ["task"], metadata: { copy: job.args } })).jobs;
      assert.ok(listed, "found by what its metadata contains");
      assertExactRow(listed, expected, "jobs.list");
      const changes = { output: job.args, metadata: { copy: job.args, more: job.args } };
      const updated = await client.jobs.update(job.id, changes);
      assert.ok(updated);
      assertExactRow(updated, expected, "jobs.update");
      assertExact(updated.metadata["more"], expected, "jobs.update");
      const again = await client.insert(task, job.args);
      assertExact((await client.jobs.get(again.job.id))?.args, expected, "a job made of the arguments of another");
      await assertStored(database, expected);
    },
  );
}

/** JSON without the spaces that Postgres puts between. */
function plain(value: unknown): string {
  return String(value).replaceAll(/[ \n]/g, "");
}

/** What another program reads. */
async function assertStored(database: Database, expected: string): Promise<void> {
  const postgres = database.backend === "postgres";
  const text = postgres ? "args::text" : "json(args)";
  const output = postgres ? "metadata ->> 'output'" : "metadata ->> '$.output'";
  const rows = await database.query(`SELECT ${text} AS args, ${output} AS output FROM river_job ORDER BY id`);
  assert.deepEqual(
    rows.map(({ args }) => plain(args)),
    [expected, expected],
  );
  assert.equal(plain(rows[0]?.["output"]), expected);
}
