/** Everything that clients tell each other through a database. */
import type { TestContext } from "node:test";
import { pollUntil } from "@riverqueue/internal-test-kit";
import { Client } from "pg";
import type { InteropWorld } from "./interop-test.ts";
import { PATIENCE } from "./patience.ts";

/** Topic and payload. */
export type Notice = readonly [topic: string, payload: string];

/** Hears from now on; what is returned resolves with everything heard once `count` notices have come. */
export async function hearNotices(t: TestContext, world: InteropWorld): Promise<(count: number) => Promise<Notice[]>> {
  const heard = world.backend === "postgres" ? await listen(t, world.address) : readOutbox(world);
  return (count) =>
    pollUntil(async () => {
      const notices = await heard();
      return notices.length >= count && notices;
    }, PATIENCE);
}

async function listen(t: TestContext, connectionString: string): Promise<() => Promise<Notice[]>> {
  const client = new Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end());
  const heard: Notice[] = [];
  client.on("notification", ({ channel, payload }) => heard.push([channel.replace(/^public\./, ""), payload ?? ""]));
  for (const topic of ["river_insert", "river_control", "river_leadership"])
    await client.query(`LISTEN "public.${topic}"`);
  return async () => {
    // Whatever was committed before comes with the answer, at the latest.
    await client.query("SELECT 1");
    return heard;
  };
}

function readOutbox({ query }: InteropWorld): () => Promise<Notice[]> {
  return async () => {
    const rows = await query("SELECT topic, payload FROM river_notification ORDER BY id");
    return rows.map(({ topic, payload }) => [String(topic), String(payload)] as const);
  };
}
