// Keeps tests waiting for events instead of for time to pass.
import { findImports } from "./find-imports.ts";
import { maskCode } from "./mask-code.ts";
import { isCode, isTest, lineAt, type Problem, type SourceFile } from "./source-tree.ts";

const RESOLVERS = "(?:r|res|resolve|done|ok|fulfil|fulfill)\\b";
const DELAYS = new RegExp(
  [
    `\\bsetTimeout\\s*\\(\\s*(?:\\(\\s*\\)\\s*=>\\s*)?${RESOLVERS}`,
    "\\bpromisify\\s*\\(\\s*setTimeout\\b",
    "\\bscheduler\\s*\\.\\s*wait\\s*\\(",
    "\\bAtomics\\s*\\.\\s*wait\\s*\\(",
    "\\bawait\\s+(?:sleep|delay)\\s*\\(",
  ].join("|"),
  "g",
);
const MESSAGE = "a fixed delay in a test; wait for the event itself";

/**
 * Reports fixed delays in test files. A timer that makes a hanging test fail is not one: it resolves nothing.
 *
 * @param files The repository.
 */
export function checkFixedDelays(files: readonly SourceFile[]): Problem[] {
  return files
    .filter((file) => isCode(file) && isTest(file))
    .flatMap((file) => [
      ...findImports(file.text)
        .filter(({ specifier }) => specifier === "node:timers/promises" || specifier === "timers/promises")
        .map(({ line }) => ({ path: file.path, line, message: MESSAGE })),
      ...[...maskCode(file.text).code.matchAll(DELAYS)].map((match) => ({
        path: file.path,
        line: lineAt(file.text, match.index),
        message: MESSAGE,
      })),
    ]);
}
