/** Services during a term: start, passes, end. */
import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@riverqueue/internal-test-kit";
import type { LogAttributes, Logger } from "../../src/kit/logger.ts";
import { silentLogger } from "../../src/kit/logger.ts";
import { type MaintenanceService, serveOnInterval } from "../../src/maintenance/maintenance-service.ts";
import { readClocks, Tenure } from "../../src/maintenance/tenure.ts";
import { TermSupervisor } from "../../src/maintenance/term-supervisor.ts";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";
import { DatabaseOperationError } from "../../src/model/errors/database-operation-error.ts";
import type { RiverEvent } from "../../src/model/river-event.ts";

function setUp(services: readonly MaintenanceService[], random = (): number => 0) {
  const clock = new ManualClock();
  const events: RiverEvent[] = [];
  const attempts: unknown[] = [];
  const failures: unknown[] = [];
  const logs: [keyof Logger, LogAttributes][] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (attributes) => logs.push(["warn", attributes]),
    error: (attributes) => logs.push(["error", attributes]),
  };
  const supervisor = new TermSupervisor({
    services,
    environment: { clock, random, databaseNow: null, probe: () => {} },
    logger,
    emit: (event) => events.push(event),
    onAttempt: (error) => attempts.push(error),
    onFailure: (error) => failures.push(error),
  });
  const term = { leaderId: "me", electedAt: clock.now(), expiresAt: clock.now().add({ hours: 1 }) };
  const tenure = new Tenure(clock, term, readClocks(clock), 3_600_000);
  return { clock, events, attempts, failures, logs, supervisor, tenure };
}

/** A scheduler whose passes do what `pass` says, every 5 s. */
function service(clockOf: () => ManualClock, pass: (tenure: Tenure) => Promise<number | null>): MaintenanceService {
  return {
    name: "scheduler",
    serve: (tenure, run) => serveOnInterval(clockOf(), 5000, tenure, () => run(() => pass(tenure))),
  };
}

test("a service passes at once after its stagger, then every interval, and ends with the term", async () => {
  let passes = 0;
  const world = setUp(
    [
      service(
        () => world.clock,
        async () => passes++,
      ),
    ],
    () => 0.5,
  );
  world.supervisor.serve(world.tenure);
  await world.clock.advance(499);
  assert.equal(passes, 0);
  await world.clock.advance(1);
  assert.equal(passes, 1);
  await world.clock.advance(10_000);
  assert.equal(passes, 3);
  world.tenure.finish("stopped");
  await world.supervisor.ended();
  assert.equal(world.clock.pending, 0);
  assert.equal(world.supervisor.runsOf("scheduler"), 3);
  assert.deepEqual(
    world.events.map((event) => event.kind === "maintenance_succeeded" && event.count),
    [0, 1, 2],
  );
});

test("passes that fall due during a slow one are made up for by a single one, on the old beat", async () => {
  const starts: number[] = [];
  const world = setUp([
    service(
      () => world.clock,
      async () => {
        starts.push(world.clock.monotonic());
        if (starts.length === 1) await new Promise<void>((resolve) => world.clock.setTimer(resolve, 17_000));
        return 0;
      },
    ),
  ]);
  world.supervisor.serve(world.tenure);
  await world.clock.advance(26_000);
  assert.deepEqual(starts, [0, 17_000, 20_000, 25_000]);
  world.tenure.finish("stopped");
  await world.supervisor.ended();
});

test("JS-72 and JS-73: a failed pass is an event and a log entry by its nature, and the next follows as usual", async () => {
  const transient = new DatabaseOperationError("busy", {
    backend: "sqlite",
    operation: "jobs.promote",
    retryable: true,
  });
  const outcomes: (Error | number)[] = [transient, new Error("broken"), 7];
  const world = setUp([
    service(
      () => world.clock,
      async () => {
        const outcome = outcomes.shift() ?? 0;
        if (typeof outcome === "number") return outcome;
        throw outcome;
      },
    ),
  ]);
  world.supervisor.serve(world.tenure);
  await world.clock.advance(10_000);
  world.tenure.finish("stopped");
  await world.supervisor.ended();
  assert.deepEqual(
    world.events.map((event) => event.kind),
    ["maintenance_failed", "maintenance_failed", "maintenance_succeeded"],
  );
  assert.deepEqual(
    world.logs.map(([level]) => level),
    ["warn", "error"],
  );
  assert.deepEqual(
    world.attempts.map((error) => error === null),
    [false, false, true],
  );
  assert.deepEqual(world.failures, []);
});

test("JS-74: a permanent failure is reported as one and not retried by itself", async () => {
  const permanent = new ConfigurationError("wrong");
  const world = setUp([
    service(
      () => world.clock,
      () => Promise.reject(permanent),
    ),
  ]);
  world.supervisor.serve(world.tenure);
  await world.clock.advance(1000);
  world.tenure.finish("stopped");
  await world.supervisor.ended();
  assert.deepEqual(world.failures, [permanent]);
  assert.deepEqual(world.events, []);
});

test("an answer that the term is over ends it quietly", async () => {
  const world = setUp([
    service(
      () => world.clock,
      async () => null,
    ),
  ]);
  world.supervisor.serve(world.tenure);
  await world.clock.advance(0);
  await world.supervisor.ended();
  assert.equal(world.tenure.ended, "gone");
  assert.deepEqual([world.events, world.logs, world.attempts], [[], [], []]);
});

test("what the end of the term interrupts has not failed", async () => {
  const world = setUp([
    service(
      () => world.clock,
      (tenure) =>
        new Promise((_, reject) => tenure.signal.addEventListener("abort", () => reject(new Error("aborted")))),
    ),
  ]);
  world.supervisor.serve(world.tenure);
  await world.clock.advance(0);
  world.tenure.finish("stopped");
  await world.supervisor.ended();
  assert.deepEqual([world.events, world.logs, world.attempts], [[], [], []]);
});

test("one hanging pass holds up no other service", async () => {
  let passes = 0;
  const world = setUp([
    {
      name: "rescuer",
      serve: (tenure, run) =>
        run(() => new Promise((resolve) => tenure.signal.addEventListener("abort", () => resolve(null)))),
    },
    service(
      () => world.clock,
      async () => passes++,
    ),
  ]);
  world.supervisor.serve(world.tenure);
  await world.clock.advance(20_000);
  assert.equal(passes, 5);
  world.tenure.finish("stopped");
  await world.supervisor.ended();
});

test("services that cannot be made ready are tried three times, then the term is given up", async () => {
  const tries: number[] = [];
  const failing: MaintenanceService = {
    name: "reindexer",
    prepare: () => {
      tries.push(world.clock.monotonic());
      throw new Error("no schedule");
    },
    serve: () => Promise.reject(new Error("was never ready")),
  };
  const world = setUp([failing], () => 0.5);
  world.supervisor.serve(world.tenure);
  await world.clock.advance(2999);
  assert.ok(world.tenure.holds());
  await world.clock.advance(1);
  await world.supervisor.ended();
  assert.deepEqual(tries, [0, 1000, 3000]);
  assert.equal(world.tenure.ended, "asked");
  assert.deepEqual(world.failures, []);
});

test("services made ready at the second try serve the term", async () => {
  let ready = false;
  let served = false;
  const late: MaintenanceService = {
    name: "reindexer",
    prepare: () => {
      if (!ready) {
        ready = true;
        throw new Error("not yet");
      }
    },
    serve: async () => {
      served = true;
    },
  };
  const world = setUp([late], () => 0);
  world.supervisor.serve(world.tenure);
  await world.clock.advance(1000);
  await world.supervisor.ended();
  assert.ok(served && world.tenure.holds());
  world.tenure.finish("stopped");
});
