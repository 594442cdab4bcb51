import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createReaction, type OutgoingMessage } from "@riverqueue/reaction";
import { deliver } from "./testdata/deliver.ts";
import { openSqliteHome } from "./testdata/open-home.ts";
import { listeningLogger, testCtx } from "./testdata/test-ctx.ts";

failOnLeaks();

const down = () => Promise.reject(new Error("down"));

async function tracker(t: TestContext) {
  let at = Date.parse("2026-03-01T12:00:00.000Z");
  const now = () => new Date(at);
  const { home, rows } = await openSqliteHome(t, { now });
  const sent: OutgoingMessage[] = [];
  const analyticsQueue = { send: async (messages: readonly OutgoingMessage[]) => void sent.push(...messages) };
  const reaction = createReaction({ policies: [], ...home.parts, analyticsQueue });
  const { analytics } = reaction;
  assert.ok(analytics !== null);
  const ctx = testCtx({ now });
  const flush = async () => {
    const messages = sent.splice(0);
    for (const { body } of messages) await deliver(reaction.consume, ctx, { queue: "analytics-events", body });
    return messages;
  };
  return { analytics, reaction, ctx, rows, flush, home, advance: (ms: number) => (at += ms) };
}

test("events are counted by day, page and referrer, each id once", async (t) => {
  const { analytics, ctx, flush, advance } = await tracker(t);
  const view = { host: "shop.example", visitor: { address: "192.0.2.1", userAgent: "a" } };
  await analytics.track(ctx, { ...view, id: "1", path: "/a?x=1#top", referrer: "https://news.example/story?id=1" });
  await analytics.track(ctx, { ...view, id: "1", path: "/a" });
  await analytics.track(ctx, { ...view, path: "/b", referrer: "https://shop.example/a" });
  await analytics.track(ctx, {
    ...view,
    path: "/a",
    referrer: "javascript:alert(1)",
    visitor: { address: "192.0.2.2" },
  });
  await analytics.track(ctx, { name: "order_paid" });
  advance(86_400_000);
  await analytics.track(ctx, { ...view, path: "/b" });
  await flush();
  const range = { from: "2026-03-01", to: "2026-03-02" };
  assert.deepEqual(await analytics.countByDay(range), [
    { day: "2026-03-01", count: 4 },
    { day: "2026-03-02", count: 1 },
  ]);
  assert.deepEqual(await analytics.countByDay({ ...range, name: "order_paid" }), [{ day: "2026-03-01", count: 1 }]);
  assert.deepEqual(await analytics.topPages(range), [
    { value: "/a", count: 2 },
    { value: "/b", count: 2 },
  ]);
  assert.deepEqual(await analytics.topPages({ ...range, limit: 1 }), [{ value: "/a", count: 2 }]);
  assert.deepEqual(await analytics.topReferrers(range), [{ value: "news.example/story", count: 1 }]);
  assert.deepEqual(await analytics.uniqueVisitors(range), [
    { day: "2026-03-01", count: 2 },
    { day: "2026-03-02", count: 1 },
  ]);
  await assert.rejects(analytics.countByDay({ from: "yesterday", to: "2026-03-02" }), { code: "validation" });
  await assert.rejects(analytics.track(ctx, { path: 7 } as never), {
    code: "validation",
    message: "event.path must be text",
  });
});

test("a site knows itself among referrers, however its own host is written", async (t) => {
  const { analytics, ctx, flush } = await tracker(t);
  for (const host of ["Shop.example", "shop.example:443", "SHOP.EXAMPLE"]) {
    await analytics.track(ctx, { path: "/", host, referrer: "https://shop.example/a" });
  }
  await analytics.track(ctx, { path: "/", host: "shop.example:8443", referrer: "https://shop.example/b" });
  await analytics.track(ctx, { path: "/", host: "no host", referrer: "https://shop.example/c" });
  await flush();
  const range = { from: "2026-03-01", to: "2026-03-02" };
  const referrers = await analytics.topReferrers(range);
  assert.deepEqual(
    referrers.map(({ value }) => value),
    ["shop.example/b", "shop.example/c"],
  );
});

test("an address is in no message and no row, and a visitor is not the same on another day", async (t) => {
  const { analytics, ctx, flush, rows, advance } = await tracker(t);
  const visitor = { address: "192.0.2.1", userAgent: "agent" };
  await analytics.track(ctx, { path: "/", visitor });
  await analytics.track(ctx, { path: "/", visitor });
  advance(86_400_000);
  await analytics.track(ctx, { path: "/", visitor });
  const messages = await flush();
  assert.doesNotMatch(JSON.stringify(messages), /192\.0\.2\.1|agent/);
  const stored = await rows("select visitor from river_reaction_analytics_event order by id");
  assert.doesNotMatch(JSON.stringify(stored), /192\.0\.2\.1|agent/);
  const [first, second, third] = stored.map(({ visitor: hash }) => hash);
  assert.equal(first, second);
  assert.notEqual(first, third);
});

test("a day's salt is random, shared by all processes, and deleted after 48 hours", async (t) => {
  const { reaction, ctx, rows, advance, home } = await tracker(t);
  const [one, other] = await Promise.all(["aa", "bb"].map((salt) => home.analyticsStore.salt("2026-03-01", salt)));
  assert.equal(one, other);
  const salts = () => rows("select salt from river_reaction_analytics_salt");
  advance(48 * 3_600_000 - 1000);
  await reaction.processor.sweep(ctx);
  assert.equal((await salts()).length, 1);
  advance(1000);
  await reaction.processor.sweep(ctx);
  assert.deepEqual(await salts(), []);
});

test("tracking does not fail its caller when queue or salt are out of reach", async (t) => {
  const { home } = await openSqliteHome(t);
  const logger = listeningLogger();
  const analyticsStore = Object.assign(Object.create(home.analyticsStore) as typeof home.analyticsStore, {
    salt: down,
  });
  const { analytics } = createReaction({ policies: [], ...home.parts, analyticsStore, analyticsQueue: { send: down } });
  await analytics?.track(testCtx({ logger }), { path: "/", visitor: { address: "192.0.2.1" } });
  assert.deepEqual(
    logger.logged.map(({ message }) => message),
    ["a visitor could not be counted", "an analytics event could not be sent"],
  );
});
