/** The one `reaction` of this application. */
import { createReaction, type Reaction } from "@riverqueue/reaction";
import { createCloudflareHome } from "@riverqueue/reaction-cloudflare";
import { env } from "cloudflare:workers";
import { dayPolicy } from "../shop/day-ended.ts";
import { orderPolicy } from "../shop/order-paid.ts";

export const reaction: Reaction<never> = createReaction({
  ...createCloudflareHome(env),
  policies: [orderPolicy, dayPolicy],
  // An application would page somebody; the log and the table of alerts have it in any case.
  alerts: ({ code, severity }) => console.warn(`alert ${code} (${severity})`),
});
