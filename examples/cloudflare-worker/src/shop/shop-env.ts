/** What wrangler.jsonc binds for this Worker. */
import type { CloudflareBindings } from "@riverqueue/reaction-cloudflare";

/** See the file header. */
export interface ShopEnv extends CloudflareBindings {
  /** Secret for the pages below /dashboard; without it nobody gets in. */
  readonly ADMIN_TOKEN?: string;
}
