/** Runs insert middleware around an insertion and holds each to its contract: `next` exactly once. */
import { ExtensionError } from "../model/errors/extension-error.ts";
import type { InsertContext, InsertMiddleware } from "./insert-context.ts";
import type { InsertResult } from "./insert-result.ts";

/** What lies further inside. */
type Inner = () => Promise<InsertResult[]>;

/**
 * Runs `middleware`, outermost first, around `innermost`. Resolves to what the outermost returns. Settles only when
 * everything inside has, so that no write is under way when the caller ends its transaction.
 *
 * @throws ExtensionError when one does not call `next` exactly once, or returns something else than one result per
 *   request; otherwise whatever is thrown, by `innermost` also when a middleware swallows it.
 */
export function runInsertMiddleware(
  middleware: readonly InsertMiddleware[],
  context: InsertContext,
  innermost: Inner,
): Promise<InsertResult[]> {
  const chain = middleware.reduceRight<Inner>((inner, each) => () => runOne(each, context, inner), innermost);
  return chain();
}

async function runOne(middleware: InsertMiddleware, context: InsertContext, inner: Inner): Promise<InsertResult[]> {
  const once = new NextOnce(inner);
  try {
    const results = await middleware(context, () => once.call());
    await once.finished();
    if (!Array.isArray(results) || results.length !== context.requests.length) {
      throw new ExtensionError("insert middleware must return the results of next(), one per request");
    }
    return results;
  } finally {
    await once.settled();
  }
}

/** The `next` of one run of one middleware. */
class NextOnce {
  readonly #inner: Inner;
  #running: Promise<InsertResult[]> | null = null;
  #misuse: ExtensionError | null = null;
  #closed = false;

  constructor(inner: Inner) {
    this.#inner = inner;
  }

  async call(): Promise<InsertResult[]> {
    if (this.#closed) throw new ExtensionError("insert middleware called next() after it had ended");
    if (this.#running !== null) {
      this.#misuse = new ExtensionError("insert middleware called next() more than once");
      throw this.#misuse;
    }
    this.#running = this.#inner();
    return this.#running;
  }

  /** Waits for the inside. */
  async finished(): Promise<void> {
    if (this.#running === null) throw new ExtensionError("insert middleware did not call next()");
    await this.#running;
    if (this.#misuse !== null) throw this.#misuse;
  }

  /** Refuses further calls; never rejects. */
  async settled(): Promise<void> {
    this.#closed = true;
    await this.#running?.catch(() => {});
  }
}
