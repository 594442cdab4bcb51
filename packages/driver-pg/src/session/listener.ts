/** Gives notice streams their connections. One may be kept in reserve, so that the first stream needs none of the pool. */
import type { NoticeListener, NoticeStream } from "riverqueue/driver";
import { checkOut, type CheckedOut, type ConnectionContext } from "../connection/check-out.ts";
import type { ClientSource } from "../connection/client-source.ts";
import { PgNoticeStream } from "../notices/pg-notice-stream.ts";

const OPERATION = "notices.listen";

/** See the file header. */
export class Listener {
  readonly #source: ClientSource;
  readonly #context: ConnectionContext;
  #reserved: CheckedOut | null = null;

  constructor(source: ClientSource, context: ConnectionContext) {
    this.#source = source;
    this.#context = context;
  }

  /** Takes a connection for the first stream. */
  async reserve(): Promise<void> {
    this.#reserved = await this.#checkOut();
  }

  /** Opens a stream. */
  readonly listen = async (listener: NoticeListener): Promise<NoticeStream> => {
    const reserved = this.#takeReserved();
    const { connection, giveBack } = reserved ?? (await this.#checkOut());
    return PgNoticeStream.open(connection, listener, () => giveBack(true));
  };

  /** Gives back what no stream has taken. */
  close(): void {
    this.#takeReserved()?.giveBack(false);
  }

  #checkOut(): Promise<CheckedOut> {
    return checkOut(this.#source, this.#context, OPERATION, this.#context.readyMs);
  }

  #takeReserved(): CheckedOut | null {
    const reserved = this.#reserved;
    this.#reserved = null;
    if (!reserved?.connection.broken) return reserved;
    reserved.giveBack(true);
    return null;
  }
}
