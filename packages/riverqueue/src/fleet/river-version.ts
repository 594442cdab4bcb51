/** Which version of this package runs. */
import { readFileSync } from "node:fs";

let known: string | null | undefined;

/** From this package's own package.json; null in a bundle, which has none beside it. */
export function riverVersion(): string | null {
  return (known ??= readVersion());
}

function readVersion(): string | null {
  try {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    const { name, version } = JSON.parse(text) as { readonly name?: unknown; readonly version?: unknown };
    return name === "riverqueue" && typeof version === "string" ? version : null;
  } catch {
    return null;
  }
}
