/** Sessions: connections that a runtime keeps, from one opening to one close. */
import assert from "node:assert/strict";
import { insertNotice } from "riverqueue/driver";
import type { ConformanceTest } from "./conformance-test.ts";
import { endOf } from "./job-values.ts";
import type { Subject } from "./subject.ts";

const MARKER = insertNotice("marker");
const ALL = { listens: true, leads: true };

export function sessionTests(test: ConformanceTest): void {
  test("a driver says what it can do", hasTraits);
  test("a session does everything with any set of needs", servesAnyNeeds);
  test("a session may be closed again, and its driver goes on", closes);
  test("a session needs River's tables", needsTables);
  test("sessions of one driver work side by side", workSideBySide);
}

function hasTraits({ driver }: Subject): Promise<void> {
  assert.equal(driver.canWork, true);
  assert.ok(["postgres", "sqlite"].includes(driver.backend));
  assert.equal(driver.traits.listens, true);
  assert.ok(["microseconds", "milliseconds"].includes(driver.traits.timePrecision));
  return Promise.resolve();
}

async function servesAnyNeeds(subject: Subject): Promise<void> {
  for (const listens of [false, true]) {
    for (const leads of [false, true]) {
      const session = await subject.driver.openSession({ listens, leads });
      await subject.add({});
      const params = { queue: "default", clientId: "c", limit: 9, kinds: null, hint: null };
      const { jobs } = await session.jobs.claim(params);
      const settled = await session.jobs.settle({ settlements: jobs.map((job) => endOf(job)), wantRows: false });
      assert.deepEqual(
        settled.map(({ outcome }) => outcome),
        ["settled"],
      );
      await session.close();
    }
  }
}

async function closes(subject: Subject): Promise<void> {
  const session = await subject.driver.openSession(ALL);
  await session.close();
  await session.close();
  const { id } = await subject.addOne();
  assert.equal((await subject.claimOne()).id, id);
  const next = await subject.driver.openSession(ALL);
  assert.equal((await next.jobs.get({ id }))?.state, "running");
  await next.close();
}

async function needsTables(subject: Subject): Promise<void> {
  for (const table of ["river_job", "river_leader", "river_queue"]) {
    await subject.raw.query(`ALTER TABLE ${table} RENAME TO elsewhere`);
    const message = new RegExp(`${table}.*riverqueue migrate-up`);
    await assert.rejects(subject.driver.openSession(ALL), { code: "configuration", message });
    await subject.raw.query(`ALTER TABLE elsewhere RENAME TO ${table}`);
  }
  const session = await subject.driver.openSession(ALL);
  await session.close();
}

async function workSideBySide(subject: Subject): Promise<void> {
  const sessions = [await subject.openSession(), await subject.openSession(false)];
  await subject.add(...Array.from({ length: 40 }, () => ({})));
  const claims = await Promise.all(
    sessions.map((session, index) =>
      session.jobs.claim({ queue: "default", clientId: `c${index}`, limit: 20, kinds: null, hint: null }),
    ),
  );
  const ids = claims.flatMap(({ jobs }) => jobs.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length);
  const inbox = await subject.listen("river_insert");
  for (const [index, session] of sessions.entries())
    await session.notices.send({ notices: [insertNotice(`q${index}`)] });
  await subject.send(MARKER);
  assert.equal((await inbox.until(MARKER)).length, 2);
}
