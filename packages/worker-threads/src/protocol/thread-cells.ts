/**
 * Integers in memory that the client's thread and one thread of the pool see: what the thread is doing, so that it is
 * woken only when it sleeps and ended only while it does what it is ended for; and what it is to hear of although its
 * event loop does not turn.
 */
import type { Ticket } from "./messages.ts";

/** What the thread is doing: one of the values below, or the ticket of the task that it runs. */
const ACTIVITY = 0;
/** The ticket of the latest task that was aborted. */
const ABORTED = 1;
/** 1 when the thread takes no further task. */
const LEAVING = 2;
/** How far the handler of the latest task is: its ticket when it was found, the negated one while its module is loaded. */
const HANDLER = 3;

/** It looks for a task, or will do so without being told. */
const LOOKING = 0;
/** It sleeps where it is. */
const DOZING = -1;
/** It is in its event loop. */
const IDLE = -2;
/** It has not begun. */
const STARTING = -3;
/** The client ends it. */
const CLOSED = -4;

/** Makes the cells of one thread. */
export function makeThreadCells(): Int32Array {
  const cells = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
  cells[ACTIVITY] = STARTING;
  return cells;
}

/** In the thread: it begins to look. */
export function beginLooking(cells: Int32Array): void {
  Atomics.compareExchange(cells, ACTIVITY, STARTING, LOOKING);
}

/** In the thread: it is about to take a task. False when it is being ended. */
export function beginTask(cells: Int32Array, ticket: Ticket): boolean {
  return Atomics.compareExchange(cells, ACTIVITY, LOOKING, ticket) === LOOKING;
}

/** In the thread: the task has ended, or another has taken it. */
export function endTask(cells: Int32Array, ticket: Ticket): void {
  Atomics.compareExchange(cells, ACTIVITY, ticket, LOOKING);
}

/**
 * In the thread: sleeps where it is until it is woken, and not longer than `ms`.
 *
 * @param hasWork - asked once more when whoever has work can see that the thread must be woken.
 */
export function doze(cells: Int32Array, ms: number, hasWork: () => boolean): void {
  if (Atomics.compareExchange(cells, ACTIVITY, LOOKING, DOZING) !== LOOKING) return;
  if (!hasWork()) Atomics.wait(cells, ACTIVITY, DOZING, ms);
  Atomics.compareExchange(cells, ACTIVITY, DOZING, LOOKING);
}

/** In the thread: leaves everything to the event loop. False when there is work, and nobody else tells the thread so. */
export function becomeIdle(cells: Int32Array, hasWork: () => boolean): boolean {
  if (Atomics.compareExchange(cells, ACTIVITY, LOOKING, IDLE) !== LOOKING) return true;
  return !hasWork() || Atomics.compareExchange(cells, ACTIVITY, IDLE, LOOKING) !== IDLE;
}

/** Wakes a thread that sleeps where it is. False when it does not. */
export function wakeDozing(cells: Int32Array): boolean {
  if (Atomics.compareExchange(cells, ACTIVITY, DOZING, LOOKING) !== DOZING) return false;
  Atomics.notify(cells, ACTIVITY);
  return true;
}

/** Takes a thread out of its idleness; a message must follow. False when it is not idle. */
export function wakeIdle(cells: Int32Array): boolean {
  return Atomics.compareExchange(cells, ACTIVITY, IDLE, LOOKING) === IDLE;
}

/** Whether the thread should take the next task without being told. */
export function isLooking(cells: Int32Array): boolean {
  return Atomics.load(cells, ACTIVITY) === LOOKING;
}

/** Whether the thread runs a task, or is about to. */
export function isRunning(cells: Int32Array): boolean {
  return Atomics.load(cells, ACTIVITY) > LOOKING;
}

/** Whether the thread runs this task. */
export function runsTask(cells: Int32Array, ticket: Ticket): boolean {
  return Atomics.load(cells, ACTIVITY) === ticket;
}

/** Keeps the thread from taking tasks, whatever it does. */
export function closeThread(cells: Int32Array): void {
  Atomics.store(cells, ACTIVITY, CLOSED);
}

/** Keeps the thread from taking tasks if it still runs this one. */
export function closeDuringTask(cells: Int32Array, ticket: Ticket): boolean {
  return Atomics.compareExchange(cells, ACTIVITY, ticket, CLOSED) === ticket;
}

/** Keeps the thread from taking tasks if it should take one and has not. */
export function closeWhileLooking(cells: Int32Array): boolean {
  return Atomics.compareExchange(cells, ACTIVITY, LOOKING, CLOSED) === LOOKING;
}

/** Has the thread take no further task. It tells when it would. */
export function leave(cells: Int32Array): void {
  Atomics.store(cells, LEAVING, 1);
}

export function isLeaving(cells: Int32Array): boolean {
  return Atomics.load(cells, LEAVING) === 1;
}

/** Marks the task as aborted, after the message with the reason was sent. */
export function markTaskAborted(cells: Int32Array, ticket: Ticket): void {
  // An older task's mark must not hide that of the one that runs.
  if (runsTask(cells, ticket)) Atomics.store(cells, ABORTED, ticket);
}

/** In the thread: whether the task has been aborted. */
export function isTaskAborted(cells: Int32Array, ticket: Ticket): boolean {
  return Atomics.load(cells, ABORTED) === ticket;
}

/** In the thread: the module of the task's handler is being loaded. */
export function markLoading(cells: Int32Array, ticket: Ticket): void {
  Atomics.store(cells, HANDLER, -ticket);
}

/** In the thread: the handler of the task was found, and is about to be called. */
export function markLoaded(cells: Int32Array, ticket: Ticket): void {
  Atomics.store(cells, HANDLER, ticket);
}

export function isLoadingFor(cells: Int32Array, ticket: Ticket): boolean {
  return Atomics.load(cells, HANDLER) === -ticket;
}

export function hasLoadedFor(cells: Int32Array, ticket: Ticket): boolean {
  return Atomics.load(cells, HANDLER) === ticket;
}
