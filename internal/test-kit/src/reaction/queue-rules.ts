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
  /** Calls that come too late, have no effect and are logged. */
  readonly ignored: readonly ("ack" | "retry")[];
}

/**
 * What becomes of the messages `a`, `b`, `c` of a queue with one retry and a dead-letter queue, which has neither, and whose
 * consumer retries all.
 */
export interface LastDeliveryRule {
  readonly title: string;
  /** With the batch of every delivery. */
  readonly consume: (batch: QueueBatch) => void;
  /** Bodies and attempts, as they are delivered. */
  readonly deliveries: readonly string[];
  /** Bodies that go to the dead-letter queue, each once, and are dropped there with an alert. */
  readonly dead: readonly string[];
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
  { title: "returning acknowledges what was not marked", consume: () => {}, again: [], ignored: [] },
  { title: "throwing retries what was not marked", consume: fail, again: ["a", "b", "c"], ignored: [] },
  {
    title: "throwing retries what was not acknowledged",
    consume: (batch) => {
      message(batch, "a").ack();
      fail();
    },
    again: ["b", "c"],
    ignored: [],
  },
  {
    title: "returning acknowledges beside a retried one",
    consume: (batch) => message(batch, "b").retry(),
    again: ["b"],
    ignored: [],
  },
  { title: "ackAll acknowledges all", consume: (batch) => batch.ackAll(), again: [], ignored: [] },
  { title: "retryAll retries all", consume: (batch) => batch.retryAll(), again: ["a", "b", "c"], ignored: [] },
  {
    title: "ackAll survives a throw",
    consume: (batch) => {
      batch.ackAll();
      fail();
    },
    again: [],
    ignored: [],
  },
  {
    title: "a message's own retry survives ackAll",
    consume: (batch) => {
      message(batch, "a").retry();
      batch.ackAll();
    },
    again: ["a"],
    ignored: [],
  },
  {
    title: "a message's own ack survives retryAll",
    consume: (batch) => {
      message(batch, "a").ack();
      batch.retryAll();
    },
    again: ["b", "c"],
    ignored: [],
  },
  {
    title: "the first of ack and retry decides: ack",
    consume: (batch) => {
      message(batch, "c").ack();
      message(batch, "c").retry();
    },
    again: [],
    ignored: ["retry"],
  },
  {
    title: "the first of ack and retry decides: retry",
    consume: (batch) => {
      message(batch, "c").retry();
      message(batch, "c").ack();
    },
    again: ["c"],
    ignored: ["ack"],
  },
];

const find = ({ messages }: QueueBatch, body: string) => messages.find((each) => each.body === body);

/** See {@link LastDeliveryRule}. */
export const LAST_DELIVERY_RULES: readonly LastDeliveryRule[] = [
  {
    title: "what is retried in the last delivery goes to the dead-letter queue",
    consume: (batch) => batch.retryAll(),
    deliveries: ["a 1", "a 2", "b 1", "b 2", "c 1", "c 2"],
    dead: ["a", "b", "c"],
  },
  {
    title: "so does what was not marked when the consumer throws",
    consume: (batch) => {
      find(batch, "a")?.ack();
      fail();
    },
    deliveries: ["a 1", "b 1", "b 2", "c 1", "c 2"],
    dead: ["b", "c"],
  },
  {
    title: "the neighbours of such a one are acknowledged",
    consume: (batch) => find(batch, "b")?.retry(),
    deliveries: ["a 1", "b 1", "b 2", "c 1"],
    dead: ["b"],
  },
  {
    title: "what is acknowledged in the last delivery is done",
    consume: ({ messages }) => messages.forEach((each) => (each.attempts === 1 ? each.retry() : each.ack())),
    deliveries: ["a 1", "a 2", "b 1", "b 2", "c 1", "c 2"],
    dead: [],
  },
];
