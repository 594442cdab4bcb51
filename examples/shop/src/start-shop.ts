/** The whole shop in one process: HTTP, workers and tables on one SQLite file. */
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { serve } from "@hono/node-server";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { consoleLogger, createReaction, type DurationInput, type Logger } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { Client, type PeriodicJob, type QueueConfig, Workers } from "riverqueue";
import { shopPolicies } from "./order-events.ts";
import { shopRoutes } from "./shop-routes.ts";
import { prepareDatabase } from "./shop-database.ts";

/** How to start. */
export interface ShopOptions {
  /** Path of the SQLite file. */
  readonly path: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly logger?: Logger | undefined;
  /** Shorter in tests; 60 s otherwise. */
  readonly lease?: DurationInput | undefined;
  /** How soon an event that nothing moves is looked at again; 60 s, shorter in tests. */
  readonly sweepAfter?: DurationInput | undefined;
  /** How often the shop looks for messages that a dead process had in hand; 30 s, shorter in tests. */
  readonly rescuerInterval?: DurationInput | undefined;
  /** Told about the places where tests end the process. */
  readonly reached?: ((place: string) => void) | undefined;
}

/** A running shop. */
export interface Shop {
  readonly url: string;
  /** Lets requests and commands finish, sends what is logged, and closes the file. */
  stop(): Promise<void>;
}

/** Starts the shop. */
export async function startShop(options: ShopOptions): Promise<Shop> {
  const { path, port, logger = consoleLogger, lease, sweepAfter, rescuerInterval, reached = () => {} } = options;
  // For preparing, when nothing waits for this process, and for reading, which waits for nobody.
  const database = new DatabaseSync(path, { timeout: 5000 });
  await prepareDatabase(database);
  const driver = new SqliteDriver(database);
  const home = createEmbeddedHome({ driver, logger });
  const reaction = createReaction({ policies: shopPolicies(database, reached), ...home.parts, lease, sweepAfter });
  const [workers, queues, periodicJobs]: [Workers, Record<string, QueueConfig>, PeriodicJob[]] = [
    new Workers(),
    {},
    [],
  ];
  home.register({ workers, queues, periodicJobs, reaction: reaction, idleSweep: sweepAfter });
  const client = new Client(driver, {
    workers,
    queues,
    periodicJobs,
    logger,
    // Longer than any message is worked here: what is in hand for that long is a dead process's.
    maintenance: { rescueAfter: { minutes: 5 }, rescuerInterval },
  });
  const run = await client.start();

  const logs = reaction.logs?.createLogger({ logger });
  const { fetch } = shopRoutes({ database, reaction, logs: logs ?? null, reached });
  const server = serve({ fetch, port, hostname: "127.0.0.1" });
  await new Promise<void>((resolve) => (server.listening ? resolve() : server.once("listening", resolve)));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      await logs?.close();
      await run.stop();
      home.close();
      driver.close();
      database.close();
    },
  };
}
