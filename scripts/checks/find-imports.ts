// Finds what a file imports: static, re-exported, dynamic and type imports alike. Reads one file; judges nothing.
import { maskCode } from "./mask-code.ts";
import { lineAt } from "./source-tree.ts";

/** One import of a file. */
export interface ImportOfFile {
  readonly specifier: string;
  /** First line is 1. */
  readonly line: number;
  /** Written with a bracket: `import("x")`, be it of a value or of a type. */
  readonly isDynamic: boolean;
}

/** Everything up to the opening quote of: `… from "x"`, `import "x"`, `import("x")`; types included. */
const BEFORE_SPECIFIER = /(?<![.\w$])(?:import\s*\(?|(?:import|export)\b[^;"'`()=]*?\bfrom)\s*(?=["'])/g;

/**
 * Lists the imports of a file, those of types included. `declare module "x"` is none: it adds to a module that the
 * program has anyway.
 *
 * @param text TypeScript source.
 */
export function findImports(text: string): ImportOfFile[] {
  const { code, strings } = maskCode(text);
  return [...code.matchAll(BEFORE_SPECIFIER)].flatMap((match) => {
    const quote = match.index + match[0].length;
    const specifier = strings.get(quote);
    return specifier === undefined ? [] : [{ specifier, line: lineAt(text, quote), isDynamic: match[0].includes("(") }];
  });
}
