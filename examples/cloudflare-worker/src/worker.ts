/** The Worker: requests, batches of the three queues, and cron. */
import { type CloudflareWorker, createWorker } from "@riverqueue/reaction-cloudflare";
import { reaction } from "@/core/reaction";
import { DayEnded } from "./shop/day-ended.ts";
import { shopApp } from "./shop/shop-app.ts";
import type { ShopEnv } from "./shop/shop-env.ts";

const DAILY = "15 3 * * *";

const worker: CloudflareWorker<ShopEnv> = createWorker({
  reaction,
  fetch: shopApp.fetch,
  async scheduled({ cron, scheduledTime }, ctx) {
    if (cron !== DAILY) return;
    const day = new Date(scheduledTime - 86_400_000).toISOString().slice(0, 10);
    await reaction.processor.emit(ctx, DayEnded.create({ idempotencyKey: `day-ended:${day}`, payload: { day } }));
  },
});

// oxlint-disable-next-line import/no-default-export -- that is how a Worker is found
export default worker;
