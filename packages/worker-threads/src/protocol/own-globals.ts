/**
 * What a thread goes on by, as it was before any handler ran: one that installs a fake clock must neither stop its thread
 * nor have it look for its next task for ever.
 */

/** Milliseconds of a clock that only rises. */
export const now: () => number = performance.now.bind(performance);
export const afterMicrotasks: typeof queueMicrotask = queueMicrotask;
export const afterTurn: (callback: () => void) => void = setImmediate;
