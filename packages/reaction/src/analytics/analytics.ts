/**
 * First-party analytics without following anybody: no cookie, no address that is kept or sent. Visitors are told apart
 * within one UTC day by a hash with that day's random salt, which is deleted after 48 hours.
 */
import { assertWorkerCtx } from "../context/assert-worker-ctx.ts";
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { hex } from "../kit/hex.ts";
import { OptionProblems } from "../kit/option-problems.ts";
import { sha256Hex } from "../kit/sha256-hex.ts";
import { timeOrderedId } from "../kit/time-ordered-id.ts";
import type { JsonValue } from "../model/json-value.ts";
import type {
  AnalyticsEvent,
  AnalyticsStore,
  DayCount,
  DayRange,
  RankedCount,
  RankingOptions,
} from "../seam/analytics-store.ts";
import type { QueueSender } from "../seam/message-queue.ts";
import { checkRange } from "./check-range.ts";

/** What happened. */
export interface TrackedEvent {
  /** Tracking the same id again counts nothing twice; made unless given. 1 to 128 letters, digits or `. _ - : /`. */
  readonly id?: string | undefined;
  /** `page_view` unless given. */
  readonly name?: string | undefined;
  /** Of the page, without query and fragment, which are cut off. */
  readonly path?: string | undefined;
  /** The header; only host and path of it are kept, and nothing when it is the site itself. */
  readonly referrer?: string | undefined;
  /** Host of the site, to know its own pages among referrers. */
  readonly host?: string | undefined;
  /** Who it was. Hashed here and now, and not kept. */
  readonly visitor?: { readonly address: string; readonly userAgent?: string | undefined } | undefined;
}

const KNOWN = ["id", "name", "path", "referrer", "host", "visitor"];
const LONGEST_PATH = 1024;

/** See the file header. */
export class Analytics {
  readonly #queue: QueueSender;
  readonly #store: AnalyticsStore;
  /** Not the promise of it: on Cloudflare one request cannot wait for what another has under way. */
  #salt: { readonly day: string; readonly salt: string } | null = null;

  constructor(queue: QueueSender, store: AnalyticsStore) {
    this.#queue = queue;
    this.#store = store;
  }

  /**
   * Tracks an event through `analytics-events`. Resolves when the queue has it, and never rejects for what fails on the
   * way: that is logged. `ctx.waitUntil(analytics.track(…))` keeps a response from waiting.
   *
   * @throws ValidationError for wrong values.
   */
  async track(ctx: WorkerCtx, tracked: TrackedEvent): Promise<void> {
    assertWorkerCtx(ctx);
    const event = await this.#eventOf(ctx, readTracked(tracked));
    try {
      await this.#queue.send([{ body: encodeAnalyticsEvent(event) }]);
    } catch (error) {
      ctx.logger.error({ error, id: event.id }, "an analytics event could not be sent");
    }
  }

  /**
   * Events per day, of all names or one.
   *
   * @throws ValidationError for wrong days, or a wrong name.
   */
  async countByDay(range: DayRange & { readonly name?: string | undefined }): Promise<readonly DayCount[]> {
    return this.#store.countByDay(checkRange(range, ["name"]));
  }

  /** @throws ValidationError for wrong days, or a wrong name or limit. */
  async topPages(options: RankingOptions): Promise<readonly RankedCount[]> {
    return this.#store.topPages(checkRange(options, ["limit", "name"]));
  }

  /** @throws ValidationError for wrong days, or a wrong name or limit. */
  async topReferrers(options: RankingOptions): Promise<readonly RankedCount[]> {
    return this.#store.topReferrers(checkRange(options, ["limit", "name"]));
  }

  /**
   * Different visitors per day; over several days they cannot be told apart.
   *
   * @throws ValidationError for wrong days.
   */
  async uniqueVisitors(range: DayRange): Promise<readonly DayCount[]> {
    return this.#store.uniqueVisitors(checkRange(range, []));
  }

  async #eventOf(ctx: WorkerCtx, tracked: TrackedEvent): Promise<AnalyticsEvent> {
    const occurredAt = ctx.now();
    return {
      id: tracked.id ?? timeOrderedId(occurredAt),
      occurredAt,
      name: tracked.name ?? "page_view",
      path: tracked.path === undefined ? null : pathOf(tracked.path),
      referrer: referrerOf(tracked.referrer, tracked.host),
      visitor: await this.#visitorOf(ctx, tracked, occurredAt),
    };
  }

  /** Null without an address, and when there is no salt to be had: an event without a visitor is better than none. */
  async #visitorOf(ctx: WorkerCtx, { visitor, host = "" }: TrackedEvent, at: Date): Promise<string | null> {
    if (visitor === undefined) return null;
    try {
      const salt = await this.#saltOf(at.toISOString().slice(0, 10));
      return (await sha256Hex(JSON.stringify([salt, host, visitor.address, visitor.userAgent ?? ""]))).slice(0, 32);
    } catch (error) {
      ctx.logger.warn({ error }, "a visitor could not be counted");
      return null;
    }
  }

  async #saltOf(day: string): Promise<string> {
    if (this.#salt?.day === day) return this.#salt.salt;
    const salt = await this.#store.salt(day, hex(crypto.getRandomValues(new Uint8Array(32))));
    this.#salt = { day, salt };
    return salt;
  }
}

/** As a message body. */
export function encodeAnalyticsEvent({ occurredAt, ...event }: AnalyticsEvent): { readonly [key: string]: JsonValue } {
  return { ...event, occurredAt: occurredAt.toISOString() };
}

/** Null for anything that this package would not have written. */
export function decodeAnalyticsEvent(value: unknown): AnalyticsEvent | null {
  if (typeof value !== "object" || value === null) return null;
  const { id, occurredAt, name, path, referrer, visitor } = value as Readonly<Record<string, unknown>>;
  const at = typeof occurredAt === "string" ? new Date(occurredAt) : null;
  if (at === null || !Number.isFinite(at.getTime()) || typeof id !== "string" || typeof name !== "string") return null;
  if (![path, referrer, visitor].every((text) => text === null || typeof text === "string")) return null;
  return { id, occurredAt: at, name, path, referrer, visitor } as AnalyticsEvent;
}

function readTracked(tracked: TrackedEvent): TrackedEvent {
  const problems = new OptionProblems();
  const { id, name, path, referrer, host, ...rest } = problems.object(tracked, "event", KNOWN);
  if (id !== undefined) problems.name(id, "event.id");
  if (name !== undefined) problems.name(name, "event.name");
  for (const [key, value] of Object.entries({ path, referrer, host })) {
    if (value !== undefined && typeof value !== "string") problems.add(`event.${key}`, "must be text");
  }
  if (rest["visitor"] !== undefined) {
    const { address, userAgent } = problems.object(rest["visitor"], "event.visitor", ["address", "userAgent"]);
    if (typeof address !== "string") problems.add("event.visitor", "must have an address");
    if (userAgent !== undefined && typeof userAgent !== "string")
      problems.add("event.visitor.userAgent", "must be text");
  }
  problems.throwValidation();
  return tracked;
}

function pathOf(text: string): string {
  const [path = ""] = text.split(/[?#]/, 1);
  return path.replaceAll("\0", "").slice(0, LONGEST_PATH).toWellFormed();
}

function referrerOf(text: string | undefined, host: string | undefined): string | null {
  if (text === undefined || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.host === hostOf(url.protocol, host)) return null;
  return `${url.host}${url.pathname === "/" ? "" : url.pathname}`.slice(0, LONGEST_PATH);
}

/** As URLs have it: in lower case, without the port that goes without saying. */
function hostOf(protocol: string, host: string | undefined): string | undefined {
  const url = `${protocol}//${host}`;
  return host !== undefined && URL.canParse(url) ? new URL(url).host : host;
}
