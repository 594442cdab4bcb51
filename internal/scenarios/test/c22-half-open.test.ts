/** A network that swallows the notification connection without closing it, again and again. */
import assert from "node:assert/strict";
import { failOnLeaks, pollUntil, spawnNode, testScale } from "@riverqueue/internal-test-kit";
import { startPostgresProxy } from "@riverqueue/internal-test-kit/postgres-proxy";
import { onPostgres, postgresDatabase } from "../src/database.ts";
import { openScene, task } from "../src/scene.ts";

failOnLeaks();

/** What the child says. */
interface Message {
  readonly worked?: unknown;
  readonly claimed?: number;
  readonly connections?: number;
  readonly idle?: number;
  readonly complaints?: readonly string[];
}

const TIMES = 20;
const LONG = { deadlineMs: 60_000 };
/** One to listen, one for control, two for claims and completions. */
const CONNECTIONS = 4;

onPostgres(
  `C22 a notification connection that goes half-open ${TIMES} times is replaced each time, and none is left behind`,
  async (t, lease) => {
    const proxy = await startPostgresProxy(t, lease.url);
    const hurry = new URL("testdata/hurry.ts", import.meta.url).href;
    const child = spawnNode(t, new URL("testdata/listening-client.ts", import.meta.url), [proxy.url], {
      execArgv: ["--import", hurry],
      env: { HURRY: String(Math.max(1, testScale / 2)) },
    });
    await child.next((message) => message === "ready", LONG);
    const { client, row, states } = openScene(t, postgresDatabase(lease));
    const healing: (() => void)[] = [];
    const ids: bigint[] = [];
    for (let n = 1; n <= TIMES; n++) {
      healing.push(proxy.stall("LISTEN"));
      ids.push((await client.insert(task, { n })).job.id);
      // Nothing but the end of the silent connection can tell the client of this job.
      await child.next<Message>(({ worked }) => worked === n, LONG);
      // The claim that follows each announced one is over, so it will not find the next job.
      await child.next<Message>(({ claimed }) => claimed === 0, LONG);
    }
    // One that was not swallowed is told of its job at once.
    ids.push((await client.insert(task, { n: 0 })).job.id);
    await child.next<Message>(({ worked }) => worked === 0, LONG);
    for (const heal of healing) heal();
    await pollUntil(async () => (await states())["completed"] === TIMES + 1, LONG);

    child.send("count");
    const counted = await child.next<Message>(({ connections }) => connections !== undefined);
    assert.deepEqual([counted.connections, counted.idle], [CONNECTIONS, 0]);
    const broken = (counted.complaints ?? []).filter((message) => message.startsWith("the notification stream broke"));
    assert.ok(broken.length >= TIMES, JSON.stringify(counted.complaints));
    const sessions = `SELECT count(*)::int AS all, count(*) FILTER (WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1')::int AS listening
    FROM pg_stat_activity WHERE datname = current_database()
      AND client_port = ANY ($1)`;
    await pollUntil(async () => {
      const [found] = await lease.query(sessions, [proxy.serverPorts]);
      return found?.["all"] === CONNECTIONS && found["listening"] === 1;
    });
    for (const id of ids) {
      const { state, attempt } = await row(id);
      assert.deepEqual([state, attempt], ["completed", 1]);
    }
    child.send("stop");
    assert.deepEqual(await child.exit(), { code: 0, signal: null });
    assert.equal(child.log, "", "no uncaught error, no unhandled rejection");
  },
);
