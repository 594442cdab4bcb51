/**
 * Lets handlers be named by their compiled `.js` name also where they have not been compiled. Only where Node strips
 * types, and only when a name cannot be resolved otherwise, so that it never changes what a build loads.
 */
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";

/** See the file header. */
export function registerSourceFallback(): void {
  if (process.features.typescript === false) return;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        const source = sourceOf(specifier, context.parentURL);
        if (source === null) throw error;
        return nextResolve(source, context);
      }
    },
  });
}

/** URL of the TypeScript source beside a `.js` file that is missing. */
function sourceOf(specifier: string, parent: string | undefined): string | null {
  if (!/^(?:\.{1,2}\/|file:)/.test(specifier)) return null;
  const url = URL.parse(specifier, parent);
  if (url?.protocol !== "file:" || !url.pathname.endsWith(".js")) return null;
  url.pathname = url.pathname.replace(/\.js$/, ".ts");
  return existsSync(url) ? url.href : null;
}
