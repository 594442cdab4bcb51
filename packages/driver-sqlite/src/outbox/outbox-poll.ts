/**
 * Delivers the outbox: one poll per driver, shared by all its streams. Every 50 ms it asks SQLite whether another
 * connection has committed anything and reads the outbox only then; commits of the driver itself, which that answer
 * does not cover, wake it. It never keeps the process alive and never replays history.
 */
import type { NoticeListener, NoticeStream, NoticeTopic } from "riverqueue/driver";
import type { PrivateConnection } from "../connection/private-connection.ts";
import { isBusy, translateFailure } from "../connection/sqlite-failure.ts";
import { runOutsideFrames } from "../scope/scope-context.ts";
import { DATA_VERSION, LAST_NOTICE, READ_NOTICES } from "../sql/notices/read.ts";

const POLL_MS = 50;
const ROWS_PER_READ = 256;

interface Subscriber {
  readonly listener: NoticeListener;
  /** Rows up to this one are older than the subscription. */
  readonly from: bigint;
}

/** The poll of one driver. */
export class OutboxPoll {
  readonly #connection: PrivateConnection;
  readonly #subscribers = new Set<Subscriber>();
  #timer: NodeJS.Timeout | null = null;
  #lastId = 0n;
  #dataVersion: unknown = null;
  #ownCommit = false;
  #wakeQueued = false;

  constructor(connection: PrivateConnection) {
    this.#connection = connection;
  }

  /** Subscribes from now on. Reads the outbox once, so the caller has a turn on the connection. */
  subscribe(listener: NoticeListener): NoticeStream {
    const from = this.#connection.statements.row(LAST_NOTICE)?.[0] as bigint;
    const subscriber: Subscriber = { listener, from };
    if (this.#subscribers.size === 0) this.#start(from);
    this.#subscribers.add(subscriber);
    return {
      close: (): Promise<void> => {
        this.#subscribers.delete(subscriber);
        if (this.#subscribers.size === 0) this.#stop();
        return Promise.resolve();
      },
    };
  }

  /** The driver has committed rows of the outbox; they are delivered before the loop turns. */
  wake(): void {
    this.#ownCommit = true;
    if (this.#timer === null || this.#wakeQueued) return;
    this.#wakeQueued = true;
    runOutsideFrames(() => {
      queueMicrotask(() => {
        this.#wakeQueued = false;
        this.#poll();
      });
    });
  }

  #start(lastId: bigint): void {
    this.#lastId = lastId;
    this.#dataVersion = null;
    this.#timer = runOutsideFrames(() => setInterval(() => this.#poll(), POLL_MS));
    this.#timer.unref();
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #poll(): void {
    // While a transaction is open on the connection its own rows are visible but not committed.
    if (this.#timer === null || this.#connection.occupied || !this.#connection.isOpen) return;
    try {
      const version = this.#connection.statements.row(DATA_VERSION)?.[0];
      if (version === this.#dataVersion && !this.#ownCommit) return;
      this.#dataVersion = version;
      this.#ownCommit = false;
      this.#deliver();
    } catch (error) {
      if (isBusy(error)) this.#ownCommit = true;
      else this.#lose(translateFailure(error, "notices.listen"));
    }
  }

  /** Rows of other topics are passed over for good, so that a later look does not read them again. */
  #deliver(): void {
    const { statements } = this.#connection;
    const topics = JSON.stringify([...new Set([...this.#subscribers].flatMap(({ listener }) => listener.topics))]);
    const lastId = statements.row(LAST_NOTICE)?.[0] as bigint;
    let rows;
    do {
      rows = statements.rows(READ_NOTICES, this.#lastId, lastId, topics, ROWS_PER_READ);
      for (const [id, topic, payload] of rows) {
        this.#lastId = id as bigint;
        this.#deliverOne(id as bigint, topic as NoticeTopic, payload as string);
      }
    } while (rows.length === ROWS_PER_READ);
    if (lastId > this.#lastId) this.#lastId = lastId;
  }

  #deliverOne(id: bigint, topic: NoticeTopic, payload: string): void {
    for (const { listener, from } of this.#subscribers) {
      if (id > from && listener.topics.includes(topic)) listener.onNotice({ topic, payload });
    }
  }

  #lose(error: unknown): void {
    this.#stop();
    const lost = [...this.#subscribers];
    this.#subscribers.clear();
    for (const { listener } of lost) listener.onLost(error);
  }
}
