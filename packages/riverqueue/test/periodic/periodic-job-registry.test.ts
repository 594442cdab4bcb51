/** The live registry of periodic jobs. */
import assert from "node:assert/strict";
import test from "node:test";
import type { PeriodicJob, PeriodicJobHandle } from "../../src/api/periodic-jobs.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import { silentLogger } from "../../src/kit/logger.ts";
import { cron } from "../../src/periodic/cron.ts";
import { periodicJob } from "../../src/periodic/periodic-job.ts";
import { PeriodicJobRegistry } from "../../src/periodic/periodic-job-registry.ts";

const tick = defineJob({ kind: "tick" });
const now = (): Temporal.Instant => Temporal.Instant.from("2026-11-30T00:00Z");
const makeRegistry = (jobs: readonly PeriodicJob[] = []): PeriodicJobRegistry =>
  new PeriodicJobRegistry(jobs, { leaderElectionDisabled: false, logger: silentLogger, now });
const job = (id?: string): PeriodicJob => periodicJob({ job: tick, id, args: {}, every: { seconds: 1 } });

const scheduled = (expression: string, timeZone: string): PeriodicJob =>
  periodicJob({ job: tick, args: {}, schedule: cron(expression, { timeZone }) });

test("registrations keep their order and are removed by handle or ID", () => {
  const registry = makeRegistry([job("first")]);
  const [second, third] = registry.addMany([job("second"), job()]);
  assert.deepEqual(
    registry.registrations.map((each) => each.job.id),
    ["first", "second", null],
  );
  assert.ok(second && third);
  assert.equal(registry.remove(second), true);
  assert.equal(registry.remove(second), false);
  assert.equal(registry.removeById("first"), true);
  assert.equal(registry.removeById("first"), false);
  assert.equal(registry.removeById("unknown"), false);
  assert.deepEqual(
    registry.registrations.map((each) => each.handle),
    [third],
  );
});

test("a handle never names a later registration, not even after clear", () => {
  const registry = makeRegistry();
  const handles = [registry.add(job("same"))];
  registry.clear();
  assert.equal(registry.size, 0);
  handles.push(registry.add(job("same")));
  registry.removeById("same");
  handles.push(registry.add(job("same")));
  assert.equal(new Set(handles).size, 3);
  assert.equal(registry.remove(handles[0] as PeriodicJobHandle), false);
  assert.equal(registry.size, 1);
  assert.equal(registry.remove({} as PeriodicJobHandle), false);
});

test("one job may be registered twice unless it has an ID", () => {
  const registry = makeRegistry();
  const shared = job();
  registry.addMany([shared, shared]);
  assert.equal(registry.size, 2);
  assert.throws(() => registry.addMany([job("twice"), job("twice")]), {
    name: "ConfigurationError",
    message: 'periodicJobs[1].id must be unique, but "twice" is in use',
  });
  registry.add(job("taken"));
  assert.throws(() => registry.add(job("taken")), {
    name: "ConfigurationError",
    message: 'periodic job.id must be unique, but "taken" is in use',
  });
});

test("addMany adds all or none and names every bad one", () => {
  const registry = makeRegistry();
  const holey = Array.from<PeriodicJob>({ length: 3 });
  holey[0] = job("good");
  holey[1] = { ...job() };
  assert.throws(() => registry.addMany(holey), {
    message: "periodicJobs[1] must be made by periodicJob; periodicJobs[2] must be made by periodicJob",
  });
  assert.equal(registry.size, 0);
  assert.throws(() => registry.addMany("none" as unknown as PeriodicJob[]), { name: "ConfigurationError" });
  assert.throws(() => makeRegistry([{ ...job() }]), { name: "ConfigurationError" });
});

test("watchers hear of every change until they stop listening", () => {
  const registry = makeRegistry();
  let heard = 0;
  const unwatch = registry.watch(() => heard++);
  const handle = registry.add(job());
  registry.remove(handle);
  registry.remove(handle);
  registry.clear();
  assert.equal(heard, 3);
  unwatch();
  registry.add(job());
  assert.equal(heard, 3);
});

test("JS-93: a client that never leads refuses every change, and an empty list is none", () => {
  const registry = new PeriodicJobRegistry([], { leaderElectionDisabled: true, logger: silentLogger, now });
  const refusal = {
    name: "ConfigurationError",
    message: "periodicJobs must be empty when leaderElectionDisabled is true",
  };
  assert.throws(() => registry.add(job()), refusal);
  assert.throws(() => registry.addMany([job()]), refusal);
  assert.throws(() => registry.remove({} as PeriodicJobHandle), refusal);
  assert.throws(() => registry.removeById("any"), refusal);
  assert.throws(() => registry.clear(), refusal);
  assert.deepEqual(registry.addMany([]), []);
  assert.equal(registry.size, 0);
});

test("C27: registering a cron schedule that never fires or loses days logs one warning", () => {
  const warnings: [Readonly<Record<string, unknown>>, string][] = [];
  const logger = {
    ...silentLogger,
    warn: (attributes: Readonly<Record<string, unknown>>, text: string) => warnings.push([attributes, text]),
  };
  const registry = new PeriodicJobRegistry([], { leaderElectionDisabled: false, logger, now });
  registry.addMany([
    scheduled("0 0 31 4 *", "UTC"),
    scheduled("0 0 * * *", "Africa/Cairo"),
    scheduled("0 0 * * *", "UTC"),
  ]);
  assert.deepEqual(
    warnings.map(([attributes]) => attributes["schedule"]),
    ["0 0 31 4 *", "0 0 * * *"],
  );
  assert.match(warnings[0]?.[1] ?? "", /never fires/);
  assert.match(warnings[1]?.[1] ?? "", /does not fire on 2027-04-30/);
});
