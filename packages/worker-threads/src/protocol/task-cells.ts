/**
 * Three integers in memory that both threads see. They settle who has a task, without a message: it is offered, and then
 * either the thread takes it or the client takes it back, never both. And they tell a handler that never lets its
 * event loop turn that it has been aborted.
 */
import type { TaskNumber } from "./messages.ts";

/** The number of the task that is offered, the same negated once it is taken, 0 when it was taken back. */
const OFFER = 0;
/** The number of the latest task that was aborted. */
const ABORT = 1;
/** The number of the latest task whose message is on its way. */
const SENT = 2;

/** Makes the cells of one thread. */
export function makeTaskCells(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
}

/** Offers a task, before its message is sent. The one before has ended. */
export function offerTask(cells: Int32Array, task: TaskNumber): void {
  Atomics.store(cells, OFFER, task);
}

/** Wakes a thread that waits for the task, after its message was sent. */
export function announceTask(cells: Int32Array, task: TaskNumber): void {
  Atomics.store(cells, SENT, task);
  Atomics.notify(cells, SENT);
}

/** In the thread: waits until the message of a task after `task` is there, and not longer than `ms`. Blocks. */
export function awaitTaskAfter(cells: Int32Array, task: TaskNumber, ms: number): boolean {
  return Atomics.wait(cells, SENT, task, ms) !== "timed-out";
}

/** In the thread: whether it may run the task. */
export function takeTask(cells: Int32Array, task: TaskNumber): boolean {
  return Atomics.compareExchange(cells, OFFER, task, -task) === task;
}

/** Takes the offer back; false when the thread was faster. */
export function takeBackTask(cells: Int32Array, task: TaskNumber): boolean {
  return Atomics.compareExchange(cells, OFFER, task, 0) === task;
}

/** Whether the thread has taken the task. */
export function isTaskTaken(cells: Int32Array, task: TaskNumber): boolean {
  return Atomics.load(cells, OFFER) === -task;
}

/** Marks the task as aborted, after the message with the reason was sent. */
export function markTaskAborted(cells: Int32Array, task: TaskNumber): void {
  Atomics.store(cells, ABORT, task);
}

/** In the thread: whether the task has been aborted. */
export function isTaskAborted(cells: Int32Array, task: TaskNumber): boolean {
  return Atomics.load(cells, ABORT) === task;
}
