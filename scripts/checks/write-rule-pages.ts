// Brings the pages that state rules up to date with the titles of the tests. `--check` writes nothing and ends non-zero
// when a page is not; `npm run checks` looks at more than that.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findNumberedTitles, renderRulePage, RULE_PAGES, WRITE_COMMAND } from "./rule-pages.ts";
import { readSourceTree } from "./source-tree.ts";

const root = dirname(dirname(import.meta.dirname));
const files = readSourceTree(root);
const titles = findNumberedTitles(files);
const check = process.argv.includes("--check");

for (const page of files) {
  if (!(page.path in RULE_PAGES)) continue;
  const rendered = renderRulePage(page, titles);
  if (rendered === page.text) continue;
  if (check) {
    console.error(`${page.path} is not up to date; run ${WRITE_COMMAND}`);
    process.exitCode = 1;
  } else {
    writeFileSync(join(root, page.path), rendered);
    console.log(`wrote ${page.path}`);
  }
}
