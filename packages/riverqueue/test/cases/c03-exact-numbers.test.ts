/** Numbers that a JavaScript number cannot hold, on every hop that a job makes. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { isExactJsonNumber } from "../../src/json/exact-json-number.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { parseJson } from "../../src/json/parse-json.ts";
import { stringifyJson } from "../../src/json/stringify-json.ts";
import { jobFromJsonValue } from "../../src/model/job-from-json-value.ts";
import type { JobRow } from "../../src/model/job-row.ts";
import { jobToJsonValue } from "../../src/model/job-to-json-value.ts";
import { complete } from "../../src/work/outcome.ts";
import { insertRawJobs } from "../maintenance/testdata/insert-jobs.ts";
import { clientOnSqlite, task } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

const NUMBERS =
  '{"id":9007199254740993,"min":-9223372036854775808,"d":0.1000000000000000055511151231257827,"big":1e400}';

function assertExact(value: JsonValue | undefined, hop: string): void {
  assert.ok(value !== undefined, hop);
  assert.equal(stringifyJson(value), NUMBERS, hop);
  const { big } = value as { readonly big: JsonValue };
  assert.ok(isExactJsonNumber(big), hop);
}

/** Arguments, and the copies that handler and update made, in a row and in its form as JSON and back. */
function assertExactRow(row: JobRow, hop: string): void {
  for (const [form, job] of [
    ["row", row],
    ["JSON", jobFromJsonValue(parseJson(stringifyJson(jobToJsonValue(row))))],
    ["JSON.stringify", jobFromJsonValue(parseJson(JSON.stringify(row)))],
  ] as const) {
    assertExact(job.args, `${hop}: args, ${form}`);
    assertExact(job.metadata["output"], `${hop}: output, ${form}`);
    assertExact(job.metadata["copy"], `${hop}: metadata, ${form}`);
  }
}

for (const rows of ["a job inserted by SQL", "a job inserted by the client"]) {
  test(`C03 every digit of ${rows} survives handler, output, metadata, a retry and copies as JSON`, async (t) => {
    const seen: JsonValue[] = [];
    const { start, client, events, sql } = await clientOnSqlite(t, {
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
    if (rows.endsWith("SQL")) {
      insertRawJobs(sql, Temporal.Now.instant(), [{ kind: "task", state: "available", args: NUMBERS }]);
    } else {
      await client.insert(task, parseJson(NUMBERS) as Record<string, JsonValue>);
    }
    await start();
    const [failed] = await events.when("job_failed");
    const [completed] = await events.when("job_completed");
    assert.equal(seen.length, 6, "two calls of the handler");
    for (const value of seen) assertExact(value, "handler");
    assert.ok(failed && completed);
    assertExactRow(failed.job, "job_failed");
    assertExactRow(completed.job, "job_completed");

    const job = await client.jobs.get(completed.job.id);
    assert.ok(job);
    assert.deepEqual([job.state, job.attempt, job.errors.length], ["completed", 2, 1]);
    assertExactRow(job, "jobs.get");
    const [listed] = (await client.jobs.list({ kinds: ["task"], metadata: { copy: job.args } })).jobs;
    assert.ok(listed, "found by what its metadata contains");
    assertExactRow(listed, "jobs.list");
    const updated = await client.jobs.update(job.id, {
      output: job.args,
      metadata: { copy: job.args, more: job.args },
    });
    assert.ok(updated);
    assertExactRow(updated, "jobs.update");
    assertExact(updated.metadata["more"], "jobs.update");
    const again = await client.insert(task, job.args);
    assertExact((await client.jobs.get(again.job.id))?.args, "a job made of the arguments of another");
    const stored = sql.prepare("SELECT json(args) AS args, metadata ->> '$.output' AS output FROM river_job").all();
    assert.deepEqual(
      stored.map(({ args }) => args),
      [NUMBERS, NUMBERS],
    );
    assert.equal(stored[0]?.["output"], NUMBERS);
  });
}
