/**
 * One LISTENing connection. It is pinged when nothing has come for a while, because a connection whose other end has gone
 * without a word looks just like a quiet one. It reports its loss once; making a new one is for whoever subscribed. A
 * connection that is lost before it listens is no loss of a stream: `open` rejects, and nothing else is said.
 */
import type { NoticeListener, NoticeStream, NoticeTopic } from "riverqueue/driver";
import { quoteIdentifier } from "../connection/dialect.ts";
import type { PgConnection } from "../connection/pg-connection.ts";
import { operationError } from "../connection/pg-failure.ts";
import type { PgClient, PgNotification } from "../connection/pg-shapes.ts";
import { SCHEMA_NAME } from "../sql/schema/server-version.ts";

const OPERATION = "notices.listen";

/** When a quiet connection is pinged, and how long the answer may take, in milliseconds. */
export interface PingTimes {
  readonly idleMs: number;
  readonly answerMs: number;
}

/** The product's times. */
const PING_TIMES: PingTimes = Object.freeze({ idleMs: 5_000, answerMs: 5_000 });

/** Gives the connection back; closed instead of reused, since it still listens. */
export type CloseConnection = () => void;

/** See the file header. */
export class PgNoticeStream implements NoticeStream {
  readonly #connection: PgConnection;
  readonly #client: PgClient;
  readonly #listener: NoticeListener;
  readonly #closeConnection: CloseConnection;
  readonly #times: PingTimes;
  readonly #topics = new Map<string, NoticeTopic>();
  #timer: NodeJS.Timeout | undefined;
  #listening = false;
  #ended = false;

  private constructor(
    connection: PgConnection,
    listener: NoticeListener,
    closeConnection: CloseConnection,
    times: PingTimes,
  ) {
    this.#connection = connection;
    this.#client = connection.client;
    this.#listener = listener;
    this.#closeConnection = closeConnection;
    this.#times = times;
  }

  /** Listens on `connection`, which then belongs to the stream. When that fails the connection is closed. */
  static async open(
    connection: PgConnection,
    listener: NoticeListener,
    closeConnection: CloseConnection,
    times: PingTimes = PING_TIMES,
  ): Promise<PgNoticeStream> {
    const stream = new PgNoticeStream(connection, listener, closeConnection, times);
    try {
      await stream.#subscribe();
    } catch (error) {
      stream.#end();
      throw error;
    }
    return stream;
  }

  close(): Promise<void> {
    this.#end();
    return Promise.resolve();
  }

  async #subscribe(): Promise<void> {
    this.#client.on("notification", this.#deliver);
    this.#client.on("error", this.#lose);
    this.#client.on("end", this.#lose);
    this.#awaitAnswer("subscription");
    const { rows } = await this.#connection.run(OPERATION, SCHEMA_NAME, []);
    const schema = rows[0]?.[0];
    if (typeof schema !== "string") {
      throw operationError("missing", OPERATION, {
        text: "the connection has no current schema; set the option schema",
      });
    }
    for (const topic of this.#listener.topics) {
      const channel = `${schema}.${topic}`;
      this.#topics.set(channel, topic);
      await this.#connection.command(OPERATION, `LISTEN ${quoteIdentifier(channel)}`);
    }
    if (this.#ended) throw operationError("connection", OPERATION);
    this.#listening = true;
    this.#restartTimer();
  }

  readonly #deliver = ({ channel, payload }: PgNotification): void => {
    if (this.#listening) this.#restartTimer();
    const topic = this.#topics.get(channel);
    if (topic !== undefined && !this.#ended) this.#listener.onNotice({ topic, payload: payload ?? "" });
  };

  readonly #lose = (error?: Error): void => {
    if (this.#ended) return;
    this.#end();
    if (!this.#listening) return;
    this.#listener.onLost(operationError("connection", OPERATION, error === undefined ? {} : { cause: error }));
  };

  #restartTimer(): void {
    clearTimeout(this.#timer);
    if (!this.#ended) this.#timer = setTimeout(() => void this.#ping(), this.#times.idleMs);
  }

  async #ping(): Promise<void> {
    this.#awaitAnswer("ping");
    try {
      await this.#connection.runOnce(OPERATION, "SELECT 1", []);
      this.#restartTimer();
    } catch (error) {
      this.#lose(error as Error);
    }
  }

  /** Closing the connection ends the statement that waits for its answer. */
  #awaitAnswer(question: string): void {
    const { answerMs } = this.#times;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lose(new Error(`no answer to a ${question} within ${answerMs} ms`)), answerMs);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#client.removeListener("notification", this.#deliver);
    this.#client.removeListener("end", this.#lose);
    this.#client.removeListener("error", this.#lose);
    this.#closeConnection();
  }
}
