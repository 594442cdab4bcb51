/** `@riverqueue/cli`: the program `riverqueue`, and the same as a function for programs that have lines of their own. */
export { run } from "./run.ts";
export type { RunOptions } from "./run-options.ts";
