/** Resolves at the event loop's next turn: between two pieces of long work everything else gets its chance. */
export function loopTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  return promise;
}
