/** A periodic job of every second, and the slots of it that were inserted. */
import assert from "node:assert/strict";
import { pollUntil } from "@riverqueue/internal-test-kit";
import type { InteropWorld } from "./interop-test.ts";
import type { PeerSide, PeriodicSpec } from "./peer-values.ts";

/** The job, whose kind tells who inserted it. Nobody works its queue. */
export function everySecond(side: PeerSide): PeriodicSpec {
  return { id: "every_second", cron: "@every 1s", job: { kind: kindOf(side), queue: "slots" } };
}

/** Slots that were inserted, and by whom: times in milliseconds, in the order of insertion. */
export interface Slots {
  readonly all: readonly number[];
  readonly go: readonly number[];
  readonly ours: readonly number[];
}

/**
 * What was inserted so far; fails when a slot was inserted twice.
 *
 * @param wokenGo - a leader of Go's was suspended. When it wakes it first inserts the slots that it has missed, and only then
 *   looks at its term; if it is slow to, it comes to slots that we have inserted as the leader. That is Go's fault, which we
 *   cannot prevent. The other way round it may not happen.
 */
export async function slots({ query }: InteropWorld, wokenGo = false): Promise<Slots> {
  const rows = await query(
    "SELECT kind, CAST(scheduled_at AS text) AS at FROM river_job WHERE queue = 'slots' ORDER BY id",
  );
  const kinds = new Map<string, unknown>();
  for (const { kind, at } of rows) {
    const former = kinds.get(String(at));
    const isLateGo = wokenGo && former === kindOf("ours") && kind === kindOf("go");
    assert(former === undefined || isLateGo, `the slot ${String(at)} of ${String(former)} again by ${String(kind)}`);
    kinds.set(String(at), former ?? kind);
  }
  const by = (side: PeerSide): number[] =>
    [...kinds].filter(([, kind]) => kind === kindOf(side)).map(([at]) => millisecondsOf(at));
  return { all: [...kinds.keys()].map(millisecondsOf), go: by("go"), ours: by("ours") };
}

/**
 * Resolves in the first half of a second, before `next` comes to lead. A slot is inserted up to a tenth of a second before
 * its time, by both sides. Ours, when it begins to lead within that tenth, leaves the slot alone; Go's inserts it again,
 * which we cannot prevent.
 */
export async function awayFromSlots(next: PeerSide): Promise<void> {
  if (next === "go") await pollUntil(() => Date.now() % 1_000 > 50 && Date.now() % 1_000 < 500);
}

function kindOf(side: PeerSide): string {
  return `slot_of_${side}`;
}

/** Both databases have a space before the time; Postgres adds the zone, which is UTC in tests. */
function millisecondsOf(text: string): number {
  const [date, time] = text.replace(/\+00$/, "").split(" ");
  return Temporal.Instant.from(`${date}T${time}Z`).epochMilliseconds;
}
