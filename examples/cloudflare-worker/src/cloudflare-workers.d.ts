/** The runtime's module, as far as this Worker uses it. `wrangler types` writes the whole of it. */
declare module "cloudflare:workers" {
  import type { CloudflareBindings } from "@riverqueue/reaction-cloudflare";

  /** Bindings of wrangler.jsonc, known while modules load. */
  export const env: CloudflareBindings;
}
