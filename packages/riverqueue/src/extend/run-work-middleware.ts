/** Runs work middleware around an attempt and holds each to its contract: it calls `next` exactly once and waits for it. */
import { describeValue } from "../json/describe-value.ts";
import { ExtensionError } from "../model/errors/extension-error.ts";
import { isWorkOutcome, type WorkOutcome } from "../work/outcome.ts";
import type { WorkAttemptContext } from "../work/work-context.ts";
import type { WorkMiddleware } from "../work/work-middleware.ts";

/** What lies further inside. */
type Inner = () => Promise<WorkOutcome | undefined>;

/**
 * Runs `innermost` inside `middleware`, the first outermost. It settles only when everything further inside has settled, so
 * that no attempt ends while its handler runs.
 *
 * @throws ExtensionError when one returns without having called `next`, or before `next` has settled, or calls it twice,
 *   or returns something else than nothing or an outcome; otherwise whatever they throw.
 */
export function runWorkMiddleware<Tx>(
  middleware: readonly WorkMiddleware<Tx>[],
  context: WorkAttemptContext<Tx>,
  innermost: Inner,
): Promise<WorkOutcome | undefined> {
  const chain = middleware.reduceRight<Inner>((inner, each) => () => runOne(each, context, inner), innermost);
  return chain();
}

async function runOne<Tx>(
  middleware: WorkMiddleware<Tx>,
  context: WorkAttemptContext<Tx>,
  inner: Inner,
): Promise<WorkOutcome | undefined> {
  const next = new NextOnce(inner);
  let outcome: unknown;
  try {
    outcome = await middleware(context, next.call);
  } catch (error) {
    await next.close();
    throw error;
  }
  const left = await next.close();
  if (next.misuse !== null) throw next.misuse;
  if (left === "never called") throw new ExtensionError("work middleware did not call next()");
  if (left === "running") throw new ExtensionError("work middleware returned before next() had settled");
  if (outcome === undefined || isWorkOutcome(outcome)) return outcome;
  throw new ExtensionError(
    `work middleware returned ${describeValue(outcome)} instead of what next() resolved to or an outcome`,
  );
}

/** The `next` of one run of one middleware. */
class NextOnce {
  readonly #inner: Inner;
  #running: Promise<WorkOutcome | undefined> | null = null;
  #settled = false;
  #closed = false;
  /** What was wrong with a call too many. */
  misuse: ExtensionError | null = null;

  constructor(inner: Inner) {
    this.#inner = inner;
  }

  readonly call = (): Promise<WorkOutcome | undefined> => {
    if (this.#running !== null || this.#closed) return this.#refuse();
    const settle = (): void => {
      this.#settled = true;
    };
    this.#running = this.#inner();
    this.#running.then(settle, settle);
    return this.#running;
  };

  /** Waits for the inside and tells how the middleware had left it. Further calls are refused. */
  async close(): Promise<"never called" | "running" | "settled"> {
    this.#closed = true;
    if (this.#running === null) return "never called";
    if (this.#settled) return "settled";
    await this.#running.catch(() => {});
    return "running";
  }

  #refuse(): Promise<never> {
    const when = this.#closed ? "after it had returned" : "more than once";
    this.misuse = new ExtensionError(`work middleware called next() ${when}`);
    const refused = Promise.reject(this.misuse);
    // Middleware that does not wait for this call must not leave an unhandled rejection behind.
    refused.catch(() => {});
    return refused;
  }
}
