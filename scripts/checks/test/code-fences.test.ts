import assert from "node:assert/strict";
import { dirname } from "node:path";
import test from "node:test";
import { checkCodeFences, findCodeFences } from "../code-fences.ts";

const root = dirname(dirname(dirname(import.meta.dirname)));
const fence = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\`\n`;

test("TypeScript fences are found, others and the ones marked ignore are not", () => {
  const text = `# A\n${fence("ts", "one();")}${fence("sh", "two")}${fence("ts ignore", "three();")}${fence("typescript", "four();")}`;
  assert.deepEqual(
    findCodeFences([{ path: "docs/a.md", text }]).map(({ line, code }) => `${line} ${code}`),
    ["3 one();\n", "12 four();\n"],
  );
});

test("a fence that does not compile is a problem at its line of the document", () => {
  const text = `# A\n${fence("ts", "const right: number = 1;\nexport { right };")}\n${fence("ts", 'const wrong: number = "1";')}`;
  const problems = checkCodeFences([{ path: "docs/a.md", text }], root);
  assert.deepEqual(
    problems.map(({ path, line }) => `${path} ${line}`),
    ["docs/a.md 8"],
  );
  assert.match(problems[0]?.message ?? "", /not assignable/);
});
