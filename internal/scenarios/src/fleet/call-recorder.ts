/** Writes the calls of handlers, those that come together in one transaction. */
import type { FleetCall, FleetStore } from "./fleet-store.ts";

interface Waiting {
  readonly call: FleetCall;
  readonly settled: PromiseWithResolvers<void>;
}

/** See the file header. */
export class CallRecorder {
  readonly #store: FleetStore;
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(store: FleetStore) {
    this.#store = store;
  }

  /** Resolves when the call is committed. */
  async record(call: FleetCall): Promise<void> {
    const settled = Promise.withResolvers<void>();
    this.#waiting.push({ call, settled });
    if (!this.#writing) void this.#write();
    await settled.promise;
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      await this.#store.recordCalls(batch.map(({ call }) => call)).then(
        () => batch.forEach(({ settled }) => settled.resolve()),
        (error: unknown) => batch.forEach(({ settled }) => settled.reject(error)),
      );
    }
    this.#writing = false;
  }
}
