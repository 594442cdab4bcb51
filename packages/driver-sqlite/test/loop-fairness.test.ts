/** Units that follow each other without pause, and everybody else who needs the event loop. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { driverFixture, insertOne } from "./fixture/driver-fixture.ts";

failOnLeaks();

test("a program that awaits one insertion after another leaves timers and signals their turn", async (t) => {
  const { driver } = await driverFixture(t);
  const rung = new AbortController();
  setTimeout(() => rung.abort(), 1);
  let count = 0;
  // Without turns this would never end.
  while (!rung.signal.aborted && count < 1_000_000) {
    await insertOne(driver);
    count++;
  }
  assert.ok(rung.signal.aborted);
});

test("so does one whose transactions follow each other", async (t) => {
  const { driver } = await driverFixture(t);
  const rung = new AbortController();
  setTimeout(() => rung.abort(), 1);
  let count = 0;
  while (!rung.signal.aborted && count < 1_000_000) {
    await driver.transaction(() => Promise.resolve(), { durability: "default" });
    await driver.queues.pause({ name: "*" });
    count++;
  }
  assert.ok(rung.signal.aborted);
});
