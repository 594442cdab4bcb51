/** A handler that computes, in slices as long as a job may take, and never lets the event loop turn. */
import type { JsonObject } from "riverqueue";

/** Computes for `job.args.ms` milliseconds. */
export function computeFor({ job }: { readonly job: { readonly args: unknown } }): void {
  const until = performance.now() + Number((job.args as JsonObject)["ms"]);
  while (performance.now() < until);
}
