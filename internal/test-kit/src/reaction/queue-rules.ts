/**
 * The rules of acknowledging and retrying, as one table for every home: what a consumer does with a batch of three messages
 * at their first delivery, and which of them come a second time.
 */
import type { QueueBatch } from "@riverqueue/reaction";

/** One case. Messages have the bodies `a`, `b`, `c`; all are acknowledged at their second delivery. */
export interface QueueRule {
  readonly title: string;
  /** With the batch of the first delivery. */
  readonly consume: (batch: QueueBatch) => void;
  /** Bodies that are delivered again. */
  readonly again: readonly string[];
}

const message = (batch: QueueBatch, body: string) => {
  const found = batch.messages.find((each) => each.body === body);
  if (found === undefined) throw new Error(`the batch has no message ${body}`);
  return found;
};

function fail(): never {
  throw new Error("the consumer has failed on purpose");
}

/** See the file header. */
export const QUEUE_RULES: readonly QueueRule[] = [
  { title: "returning acknowledges what was not marked", consume: () => {}, again: [] },
  { title: "throwing retries what was not marked", consume: fail, again: ["a", "b", "c"] },
  {
    title: "throwing retries what was not acknowledged",
    consume: (batch) => {
      message(batch, "a").ack();
      fail();
    },
    again: ["b", "c"],
  },
  {
    title: "returning acknowledges beside a retried one",
    consume: (batch) => message(batch, "b").retry(),
    again: ["b"],
  },
  { title: "ackAll acknowledges all", consume: (batch) => batch.ackAll(), again: [] },
  { title: "retryAll retries all", consume: (batch) => batch.retryAll(), again: ["a", "b", "c"] },
  {
    title: "ackAll survives a throw",
    consume: (batch) => {
      batch.ackAll();
      fail();
    },
    again: [],
  },
  {
    title: "a message's own retry survives ackAll",
    consume: (batch) => {
      message(batch, "a").retry();
      batch.ackAll();
    },
    again: ["a"],
  },
  {
    title: "a message's own ack survives retryAll",
    consume: (batch) => {
      message(batch, "a").ack();
      batch.retryAll();
    },
    again: ["b", "c"],
  },
  {
    title: "the first of ack and retry decides: ack",
    consume: (batch) => {
      message(batch, "c").ack();
      message(batch, "c").retry();
    },
    again: [],
  },
  {
    title: "the first of ack and retry decides: retry",
    consume: (batch) => {
      message(batch, "c").retry();
      message(batch, "c").ack();
    },
    again: ["c"],
  },
];
