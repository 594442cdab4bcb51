/** References to handlers: the URL of a module, which for the compiler knows the module's exports, and a name in it. */
import type { JobDefinition } from "riverqueue";
import type { WorkerThreadWorkHandler } from "./worker-thread-handler.ts";

declare const moduleExports: unique symbol;

/**
 * The URL of a handler module, with the type of its exports for the compiler: `import type * as handlers from
 * "./handlers.js"` and `typeof handlers`. It is an ordinary URL otherwise, and every URL may stand for one.
 */
export type WorkerThreadModule<Module = unknown> = URL & { readonly [moduleExports]?: Module };

/** Names of the exports of `Module` that are handlers for `Definition`; any name when nothing is known of the module. */
export type WorkerThreadExportName<Module, Definition extends JobDefinition> = unknown extends Module
  ? string
  : {
      [Name in keyof Module]: Module[Name] extends WorkerThreadWorkHandler<Definition> ? Name : never;
    }[keyof Module] &
      string;

/** Where the handler of a definition is. */
export interface WorkerThreadHandlerTarget<Definition extends JobDefinition, Module> {
  /** Name of the export. */
  readonly exportName: WorkerThreadExportName<Module, Definition>;
  /** Absolute URL of the ES module, by the name it has when it is compiled: `new URL("./handlers.js", import.meta.url)`. */
  readonly module: WorkerThreadModule<Module>;
}
