/** Stops trying handlers whose module cannot be loaded, each by itself, until some time has passed. */
import { ConfigurationError } from "riverqueue";
import { placeOf } from "../protocol/handler-place.ts";
import type { ThreadFault } from "../protocol/messages.ts";

/** What is known of a handler that has failed to load. */
interface Trouble {
  readonly failures: number;
  readonly message: string;
  /** Until then nothing is tried; null while there are too few failures. */
  readonly openUntilMs: number | null;
}

/** See the file header. */
export class LoadBreaker {
  readonly #limit: number;
  readonly #cooldownMs: number;
  readonly #now: () => number;
  readonly #troubles: Map<string, Trouble> = new Map();

  /** @param now - a clock that only rises, in milliseconds. */
  constructor(limit: number, cooldownMs: number, now: () => number) {
    this.#limit = limit;
    this.#cooldownMs = cooldownMs;
    this.#now = now;
  }

  /**
   * Lets an attempt pass; after the pause one, and the others only when that has loaded.
   *
   * @throws ConfigurationError naming file and export.
   */
  assertClosed(place: string): void {
    const trouble = this.#troubles.get(place);
    if (trouble === undefined || trouble.openUntilMs === null) return;
    const leftMs = trouble.openUntilMs - this.#now();
    if (leftMs <= 0) {
      this.#troubles.set(place, { ...trouble, openUntilMs: this.#now() + this.#cooldownMs });
      return;
    }
    const { moduleUrl, exportName } = placeOf(place);
    const handler = `worker thread handler ${JSON.stringify(exportName)} of ${moduleUrl}`;
    const times = `${trouble.failures} times in a row, at last with: ${trouble.message}`;
    throw new ConfigurationError(
      `${handler} could not be loaded ${times}; it is tried again in ${Math.ceil(leftMs / 1_000)} s`,
      { retryable: true },
    );
  }

  /** An attempt has loaded its handler, or has not. */
  note(place: string, fault: ThreadFault | null): void {
    if (fault === null) {
      this.#troubles.delete(place);
      return;
    }
    const failures = (this.#troubles.get(place)?.failures ?? 0) + 1;
    const openUntilMs = failures >= this.#limit ? this.#now() + this.#cooldownMs : null;
    this.#troubles.set(place, { failures, message: fault.message, openUntilMs });
  }
}
