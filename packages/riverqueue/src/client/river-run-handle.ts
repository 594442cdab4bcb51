/** The handle that `start` gives: the controller's public face. */
import type { QueueConfig } from "../api/queue-config.ts";
import type { RunDiagnostics, RunHandle, RunState, StopOptions } from "../api/run-handle.ts";
import type { RuntimeController } from "../runtime/runtime-controller.ts";

/** See the file header. */
export class RiverRunHandle<Tx> implements RunHandle {
  readonly #controller: RuntimeController<Tx>;
  readonly #requestResignation: () => Promise<void>;

  constructor(controller: RuntimeController<Tx>, requestResignation: () => Promise<void>) {
    this.#controller = controller;
    this.#requestResignation = requestResignation;
  }

  get completed(): Promise<void> {
    return this.#controller.completed;
  }

  get state(): RunState {
    return this.#controller.state;
  }

  get diagnostics(): RunDiagnostics {
    return this.#controller.diagnostics;
  }

  addQueue(name: string, config: QueueConfig): Promise<void> {
    return this.#controller.addQueue(name, config);
  }

  removeQueue(name: string): Promise<boolean> {
    return this.#controller.removeQueue(name);
  }

  updateQueue(name: string, config: QueueConfig): Promise<void> {
    return this.#controller.updateQueue(name, config);
  }

  requestLeadershipResignation(): Promise<void> {
    return this.#requestResignation();
  }

  stop(options?: StopOptions): Promise<void> {
    return this.#controller.stop(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#controller.stop();
  }
}
