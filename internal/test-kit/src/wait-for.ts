/** Waiting for something to be announced: by an async iterable such as a subscription, or as an event. */
import { type EventEmitter, once } from "node:events";
import { inspect } from "node:util";
import { type DeadlineOptions, withDeadline } from "./with-deadline.ts";

/** Iterators by their iterables, so that one wait goes on where the one before stopped. */
const iterators = new WeakMap<AsyncIterable<unknown>, AsyncIterator<unknown>>();

/**
 * The next item of `source` that `accept` wants; items before it are dropped. Waits on the same iterable continue each
 * other. Rejects when the source ends or the deadline passes, and then tells what came instead.
 */
export function waitForItem<T, Wanted extends T>(
  source: AsyncIterable<T>,
  accept: (item: T) => item is Wanted,
  options?: DeadlineOptions,
): Promise<Wanted>;
export function waitForItem<T>(
  source: AsyncIterable<T>,
  accept: (item: T) => boolean,
  options?: DeadlineOptions,
): Promise<T>;
export function waitForItem<T>(
  source: AsyncIterable<T>,
  accept: (item: T) => boolean,
  options?: DeadlineOptions,
): Promise<T> {
  const dropped: unknown[] = [];
  const search = async (): Promise<T> => {
    const iterator = iteratorOf(source);
    for (;;) {
      // One item at a time is the point: the first that fits ends the search.
      const { done, value } = await iterator.next();
      if (done) throw new Error(`the source ended after ${describeItems(dropped)}`);
      if (accept(value)) return value;
      dropped.push(value);
    }
  };
  return withDeadline(search(), () => `an item; came ${describeItems(dropped)}`, options);
}

/** The next `name` event of `target` that `accept` wants: its arguments, or for an `EventTarget` the event in a list. */
export function waitForEvent(
  target: EventEmitter | EventTarget,
  name: string,
  accept: (...args: unknown[]) => boolean = () => true,
  options?: DeadlineOptions,
): Promise<unknown[]> {
  const stop = new AbortController();
  const search = async (): Promise<unknown[]> => {
    for (;;) {
      const args: unknown[] = await once(target as EventEmitter, name, { signal: stop.signal });
      if (accept(...args)) return args;
    }
  };
  const found = search();
  // After the deadline the search is stopped, and how it ends interests nobody.
  found.catch(() => {});
  return withDeadline(found, `event ${name}`, options).finally(() => stop.abort());
}

function iteratorOf<T>(source: AsyncIterable<T>): AsyncIterator<T> {
  const known = iterators.get(source);
  if (known !== undefined) return known as AsyncIterator<T>;
  const iterator = source[Symbol.asyncIterator]();
  iterators.set(source, iterator);
  return iterator;
}

function describeItems(items: readonly unknown[]): string {
  return items.length === 0
    ? "none"
    : `${items.length}, at last ${inspect(items.at(-1), { depth: 1, breakLength: Infinity })}`;
}
