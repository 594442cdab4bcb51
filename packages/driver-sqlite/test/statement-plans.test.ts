/** How SQLite goes about statements that must not read what they do not need. */
import assert from "node:assert/strict";
import test from "node:test";
import { HOLDERS } from "../src/sql/jobs/holders.ts";
import { KEY_HOLDERS, LANES } from "../src/sql/jobs/promote.ts";
import { driverFixture } from "./fixture/driver-fixture.ts";

test("the search for due jobs steps over what waits instead of reading it", async (t) => {
  const { database } = await driverFixture(t);
  const plan = database
    .prepare(`EXPLAIN QUERY PLAN ${LANES}`)
    .all()
    .map(({ detail }) => String(detail));
  assert.ok(
    plan.every((detail) => !/^SCAN river_job|^SCAN later|^SCAN this|^SCAN job|TEMP B-TREE/.test(detail)),
    plan.join("\n"),
  );
});

test("key holders are found by the unique index", async (t) => {
  const { database } = await driverFixture(t);
  for (const statement of [HOLDERS, KEY_HOLDERS]) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all("[]");
    assert.ok(
      plan.some(({ detail }) => /USING INDEX river_job_unique_idx/.test(String(detail))),
      statement,
    );
  }
});
