/** What a constructed client consists of before it is started. */
import type { Client } from "../api/client.ts";
import type { ClientDriver } from "../driver/driver.ts";
import type { JobInserter } from "../insert/job-inserter.ts";
import type { NoticeLimiter } from "../insert/notice-limiter.ts";
import type { Environment } from "../kit/environment.ts";
import type { PeriodicJobRegistry } from "../periodic/periodic-job-registry.ts";
import type { EventHub } from "../runtime/event-hub.ts";
import type { ClientSettings } from "./resolve-client-options.ts";

/** See the file header. */
export interface ClientCore<Tx> {
  readonly client: Client<Tx>;
  readonly driver: ClientDriver<Tx>;
  readonly settings: ClientSettings<Tx>;
  readonly environment: Environment;
  readonly limiter: NoticeLimiter;
  readonly inserter: JobInserter<Tx>;
  readonly registry: PeriodicJobRegistry;
  readonly hub: EventHub;
}
