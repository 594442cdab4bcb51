/** Preloaded: marks every thread that it is loaded in, and gives one module another source. */
import { registerHooks } from "node:module";

Object.assign(globalThis, { markedByPreload: true });
registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith("/loader-made.js")) return nextLoad(url, context);
    return {
      format: "module",
      shortCircuit: true,
      source: "export function handle() { throw new Error(`marked: ${globalThis.markedByPreload}`); }",
    };
  },
  resolve(specifier, context, nextResolve) {
    if (!specifier.endsWith("/loader-made.js")) return nextResolve(specifier, context);
    return { url: specifier, shortCircuit: true };
  },
});
