/**
 * Loads what needs the core when a handler first looks at its job, records something or returns an outcome: a thread that
 * has nothing else to do with the core starts several times as fast without it.
 */
import { createRequire } from "node:module";
import { extname } from "node:path";
import type * as WithCore from "./with-core.ts";

const require = createRequire(import.meta.url);
const MODULE = `./with-core${extname(import.meta.filename)}`;

let loaded: typeof WithCore | null = null;

/** See the file header. Synchronous, because the properties of a context are. */
export function withCore(): typeof WithCore {
  return (loaded ??= require(MODULE) as typeof WithCore);
}
