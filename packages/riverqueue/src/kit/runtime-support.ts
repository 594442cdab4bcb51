/** The one check of the platform. Until it runs nothing of the core needs more than an old Node.js. */
import { ConfigurationError } from "../model/errors/configuration-error.ts";

/**
 * Checks that this platform has what River needs: Node.js 26 with native `Temporal`. A client checks by itself before
 * any database work.
 *
 * @throws ConfigurationError naming the missing feature.
 */
export function assertRuntimeSupport(): void {
  const missing = missingFeature();
  if (missing === null) return;
  throw new ConfigurationError(
    `River needs ${missing}, which ${process.title} ${process.version} lacks: use Node.js 26 or newer, built with native Temporal`,
  );
}

function missingFeature(): string | null {
  if (typeof globalThis.Temporal !== "object") return "Temporal";
  if (typeof (JSON as { rawJSON?: unknown }).rawJSON !== "function") return "JSON.rawJSON";
  return typeof Promise.withResolvers === "function" ? null : "Promise.withResolvers";
}
