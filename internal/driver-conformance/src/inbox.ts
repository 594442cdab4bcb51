/** A subscription to notices, read up to a marker: what has not come before the marker does not come. */
import { waitForItem } from "@riverqueue/internal-test-kit";
import type { Notice, NoticesFacet, NoticeStream, NoticeTopic } from "riverqueue/driver";

/** See the file header. */
export class Inbox {
  /** Resolves with the error when the stream breaks. */
  readonly lost: Promise<unknown>;
  readonly #items: AsyncIterable<Notice>;
  readonly #stream: NoticeStream;

  private constructor(stream: NoticeStream, items: AsyncIterable<Notice>, lost: Promise<unknown>) {
    this.#stream = stream;
    this.#items = items;
    this.lost = lost;
  }

  static async open(facet: NoticesFacet<unknown>, topics: readonly NoticeTopic[]): Promise<Inbox> {
    const lost = Promise.withResolvers<unknown>();
    let controller: ReadableStreamDefaultController<Notice> | undefined;
    const items = new ReadableStream<Notice>({ start: (own) => void (controller = own) });
    const stream = await facet.listen({
      topics,
      onNotice: (notice) => controller?.enqueue(notice),
      onLost: (error) => lost.resolve(error),
    });
    return new Inbox(stream, items.values({ preventCancel: true }), lost.promise);
  }

  /** What came up to `marker`, which is left out: topics and the values of the payloads. */
  async until(marker: Notice): Promise<{ readonly topic: NoticeTopic; readonly payload: unknown }[]> {
    const came: Notice[] = [];
    await waitForItem(this.#items, (notice) => {
      const isMarker = notice.topic === marker.topic && notice.payload === marker.payload;
      if (!isMarker) came.push(notice);
      return isMarker;
    });
    return came.map(({ topic, payload }) => ({ topic, payload: JSON.parse(payload) as unknown }));
  }

  /** Waits for one more. */
  async next(): Promise<void> {
    await waitForItem(this.#items, () => true);
  }

  close(): Promise<void> {
    return this.#stream.close();
  }
}
