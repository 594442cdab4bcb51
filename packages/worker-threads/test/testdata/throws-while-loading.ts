/** A module that is not loaded yet when something that it has started throws: that ends its thread. */
setImmediate(() => {
  throw new Error("thrown while loading");
});
await new Promise<never>(() => {});

export function neverReached(): void {}
