import assert from "node:assert/strict";
import test from "node:test";
import type { MaintenanceServiceName, RiverEvent, RiverMetric } from "../../src/index.ts";
import { RIVER_EVENT_KINDS } from "../../src/model/river-event.ts";
import * as channels from "../../src/runtime/diagnostics-channels.ts";
import { Page } from "./testdata/read-page.ts";

const page = new Page("reference/events.md");

/** Fields of every kind beside `kind` and `at`; the compiler keeps the list complete. */
const FIELDS: {
  readonly [Kind in RiverEvent["kind"]]: readonly Exclude<keyof Extract<RiverEvent, { kind: Kind }>, "at" | "kind">[];
} = {
  job_started: ["job"],
  job_completed: ["job"],
  job_failed: ["job", "error"],
  job_cancelled: ["job", "error"],
  job_snoozed: ["job"],
  job_interrupted: ["job"],
  job_race: ["job"],
  job_stuck: ["job", "error"],
  queue_added: [],
  queue_removed: ["queueName"],
  queue_reconfigured: [],
  queue_paused: [],
  queue_resumed: [],
  queue_updated: [],
  leader_acquired: [],
  leader_lost: [],
  maintenance_succeeded: ["service", "count"],
  maintenance_failed: ["service", "error"],
  runtime_event_loop_delay: ["eventLoopDelay"],
  subscription_lag: ["dropped", "error"],
};

/** Kinds that share a type, so that the compiler cannot tell their fields apart. */
const SHARED: Readonly<Record<string, string>> = { queue: "queue", leader: "leader" };

const METRICS: Readonly<Record<RiverMetric["name"], true>> = {
  job_get_available_duration: true,
  job_get_available_count: true,
  job_completion_requeued: true,
  job_completion_dropped: true,
  job_completion_degraded: true,
};

const SERVICES: Readonly<Record<MaintenanceServiceName, true>> = {
  scheduler: true,
  rescuer: true,
  job_cleaner: true,
  queue_cleaner: true,
  notification_cleaner: true,
  reindexer: true,
  periodic: true,
};

test("the kinds of events on the page are those there are, both ways", () => {
  assert.deepEqual(page.names("Events").toSorted(), [...RIVER_EVENT_KINDS].toSorted());
});

test("the fields of each kind are on the page", () => {
  for (const [name = "", cell = ""] of page.rows("Events")) {
    const kind = name.replaceAll("`", "") as RiverEvent["kind"];
    const fields = FIELDS[kind].length > 0 ? FIELDS[kind] : [SHARED[kind.split("_", 1).join("")]];
    const listed = [...cell.matchAll(/`(\w+)\??`/g)].map((match) => match[1]);
    assert.deepEqual(listed, fields, kind);
  }
});

test("metrics, services and channels on the page are those there are, both ways", () => {
  assert.deepEqual(page.names("Metrics").toSorted(), Object.keys(METRICS).toSorted());
  assert.deepEqual(page.names("Services").toSorted(), Object.keys(SERVICES).toSorted());
  const names = Object.values({ ...channels }).map(({ name }) => String(name));
  assert.deepEqual(page.names("Diagnostics channels").toSorted(), names.toSorted());
});
