/**
 * The home of Reaction inside of a River client, on Postgres or SQLite. The only part that needs `riverqueue` and Node.js.
 *
 * @packageDocumentation
 */
export { createEmbeddedHome } from "./create-embedded-home.ts";
export type {
  EmbeddedHome,
  EmbeddedHomeOptions,
  EmbeddedHomeParts,
  EmbeddedRegistration,
} from "./create-embedded-home.ts";
export { RetryMessageError } from "./retry-message-error.ts";
export type { RuntimeDriver } from "./runtime-driver.ts";
