/** A client that works a reaction's queues. */
import { createReaction, type AlertCode, type Reaction, type ReactionOptions } from "@riverqueue/reaction";
import { Client, type ClientOptions, type PeriodicJob, type QueueConfig, Workers } from "riverqueue";
import type { OpenHome } from "./open-home.ts";
import { alertCodes } from "./order-paid.ts";

/** See the file header. */
export interface Started {
  readonly reaction: Reaction;
  readonly client: Client;
  readonly codes: readonly AlertCode[];
}

/** Builds and starts it; it stops before the home is closed. It polls often, and leads if `maintenance` is given. */
export async function startClient(
  opened: OpenHome<unknown>,
  options: Partial<ReactionOptions>,
  maintenance?: ClientOptions["maintenance"],
): Promise<Started> {
  const { codes, alerts } = alertCodes();
  const reaction = createReaction({ policies: [], ...(opened.home.parts as object), alerts, ...options } as ReactionOptions);
  const [workers, queues, periodicJobs]: [Workers, Record<string, QueueConfig>, PeriodicJob[]] = [new Workers(), {}, []];
  opened.home.register({ workers, queues, periodicJobs, reaction });
  for (const name of Object.keys(queues)) {
    queues[name] = { ...queues[name], pollInterval: { milliseconds: 100 } } as QueueConfig;
  }
  const leads = maintenance === undefined ? { leaderElectionDisabled: true } : { maintenance, periodicJobs };
  const client = new Client(opened.driver, { workers, queues, logger: false, ...leads });
  const run = await client.start();
  opened.beforeClose(() => run.stop());
  return { reaction, client, codes };
}
