/**
 * Which open transactions surround the running code, followed through promises. It only answers; the rules about
 * nesting are with those who ask.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** A transaction whose body runs. It counts while `holdsLock` is true, so code that outlives it is free again. */
export interface ScopeFrame {
  readonly identity: string;
  /** `application`: the callback of `transaction()`; `river`: an insertion of River's own. */
  readonly owner: "application" | "river";
  holdsLock: boolean;
  readonly outer: ScopeFrame | undefined;
}

const frames = new AsyncLocalStorage<ScopeFrame | undefined>();

/** A new frame inside the present ones; it does not hold the lock yet. */
export function newFrame(identity: string, owner: ScopeFrame["owner"]): ScopeFrame {
  return { identity, owner, holdsLock: false, outer: frames.getStore() };
}

/** Runs `body` inside `frame`. */
export function runInFrame<T>(frame: ScopeFrame, body: () => T): T {
  return frames.run(frame, body);
}

/** Runs `body` as if no transaction surrounded it: for work that only happens to be set off from inside one. */
export function runOutsideFrames<T>(body: () => T): T {
  return frames.run(undefined, body);
}

/** The innermost surrounding transaction that holds the write lock of the database, or undefined. */
export function surroundingLockHolder(identity: string): ScopeFrame | undefined {
  let frame = frames.getStore();
  while (frame !== undefined && !(frame.holdsLock && frame.identity === identity)) frame = frame.outer;
  return frame;
}
