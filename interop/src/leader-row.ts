/** Who leads, as the database has it. */
import { pollUntil } from "@riverqueue/internal-test-kit";
import type { InteropWorld } from "./interop-test.ts";
import { PATIENCE } from "./patience.ts";

/** The leader and the beginning of its term; null when nobody leads. */
export async function leaderOf({ query }: InteropWorld): Promise<{ id: string; electedAt: string } | null> {
  const [row] = await query("SELECT leader_id AS id, CAST(elected_at AS text) AS elected FROM river_leader");
  return row === undefined ? null : { id: String(row["id"]), electedAt: String(row["elected"]) };
}

/** Resolves when that client leads. */
export function leads(world: InteropWorld, id: string): Promise<unknown> {
  return pollUntil(async () => (await leaderOf(world))?.id === id, PATIENCE);
}
