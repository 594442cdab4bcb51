// `npm run checks`: the rules of this repository that no other tool knows. Prints each problem as path:line: message
// and ends non-zero when there is one.
import { dirname } from "node:path";
import { checkCodeFences } from "./code-fences.ts";
import { checkFileLength } from "./file-length.ts";
import { checkFileNames } from "./file-names.ts";
import { checkFixedDelays } from "./fixed-delays.ts";
import { checkImportLevels } from "./import-levels.ts";
import { checkMarkdownLinks } from "./markdown-links.ts";
import { checkRulePages } from "./rule-pages.ts";
import { readSourceTree, type Problem, type SourceFile } from "./source-tree.ts";

const CHECKS: Readonly<Record<string, (files: readonly SourceFile[], root: string) => Problem[]>> = {
  "import levels": checkImportLevels,
  "file length": checkFileLength,
  "file names": checkFileNames,
  "fixed delays in tests": checkFixedDelays,
  "links in documents": checkMarkdownLinks,
  "rules and their tests": checkRulePages,
  "code in documents": checkCodeFences,
};

const root = dirname(dirname(import.meta.dirname));
const files = readSourceTree(root);
for (const [name, check] of Object.entries(CHECKS)) {
  const problems = check(files, root);
  console.log(`${problems.length === 0 ? "✔" : "✖"} ${name}`);
  for (const { path, line, message } of problems) console.log(`  ${path}:${line}: ${message}`);
  if (problems.length > 0) process.exitCode = 1;
}
