/** What a late end of an attempt may do to a job that has been claimed again. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { deferred } from "../../src/kit/deferred.ts";
import { complete } from "../../src/work/outcome.ts";
import { clientOnSqlite } from "../testdata/client-on-sqlite.ts";

failOnLeaks();

for (const [who, claim] of [
  ["another client", "attempted_by = jsonb_insert(attempted_by, '$[#]', 'other')"],
  [
    "the same client, under a later attempt number",
    "attempted_by = jsonb_insert(attempted_by, '$[#]', attempted_by ->> '$[0]')",
  ],
] as const) {
  test(`JS-14 JS-87 JS-60 the end of an attempt never alters a job that ${who} has claimed since; it is a job_race`, async (t) => {
    const finish = deferred<void>();
    const { start, insert, row, sql, events } = await clientOnSqlite(t, {
      handler: async ({ setMetadata }) => {
        setMetadata("late", true);
        await finish.promise;
        return complete({ output: "late" });
      },
    });
    const run = await start();
    const [id = 0n] = await insert();
    await events.when("job_started");
    sql.prepare(`UPDATE river_job SET attempt = attempt + 1, ${claim} WHERE id = ?`).run(id);
    const before = JSON.stringify(await row(id));
    finish.resolve();
    const [race] = await events.when("job_race");
    assert.equal(race?.job.id, id);
    assert.equal(JSON.stringify(await row(id)), before, "nothing was written, metadata and output included");
    await run.stop();
    assert.deepEqual(events.of("job_completed"), []);
  });
}
