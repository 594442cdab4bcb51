/**
 * What an attempt fails with whose handler threw in its thread, or whose thread ended under it. It stands for somebody
 * else's error, so it has that one's name, message and stack, and is no `RiverError`.
 */
export class WorkerThreadHandlerError extends Error {
  static {
    this.prototype.name = "WorkerThreadHandlerError";
  }

  /** @param options - name and stack of the original error; absent: of this one. */
  constructor(
    message: string,
    options: { readonly name?: string | undefined; readonly stack?: string | undefined } = {},
  ) {
    super(message);
    for (const [key, value] of Object.entries({ name: options.name, stack: options.stack })) {
      if (value !== undefined) Object.defineProperty(this, key, { value, configurable: true, writable: true });
    }
  }
}
