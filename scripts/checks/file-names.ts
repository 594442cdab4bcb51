// Keeps names telling: kebab-case, no names that collect unrelated things, and no barrel that is not an entry.
import { isCode, type Problem, type SourceFile } from "./source-tree.ts";

const COLLECTOR_NAMES = new Set(["common", "helper", "helpers", "lib", "misc", "types", "util", "utils"]);
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:d|data|test|test-d))?\.(?:ts|mts|mjs|js)$/;

/**
 * Reports code files whose name or folder says nothing, and `index.ts` files that no package.json publishes.
 *
 * @param files The repository, with the package.json files.
 */
export function checkFileNames(files: readonly SourceFile[]): Problem[] {
  const entries = new Set(files.flatMap(publishedSources));
  return files.filter(isCode).flatMap((file) => {
    const message = objection(file.path, entries);
    return message === null ? [] : [{ path: file.path, line: 1, message }];
  });
}

function objection(path: string, entries: ReadonlySet<string>): string | null {
  const parts = path.split("/");
  const file = parts.at(-1) ?? "";
  const collector = [...parts.slice(0, -1), file.split(".", 1).join("")].find((name) => COLLECTOR_NAMES.has(name));
  if (collector !== undefined) return `${JSON.stringify(collector)} collects unrelated things; name the concept`;
  if (!KEBAB_CASE.test(file)) return "code files are named in kebab-case";
  if (file === "index.ts" && !entries.has(path))
    return "only the entry of a package is an index.ts; import the file itself";
  return null;
}

/** The sources that a package.json names under `exports`. */
function publishedSources(file: SourceFile): string[] {
  if (!file.path.endsWith("/package.json")) return [];
  const folder = file.path.slice(0, -"package.json".length);
  return [...file.text.matchAll(/"\.\/(src\/[^"*]+\.ts)"/g)].map((match) => folder + match[1]);
}
