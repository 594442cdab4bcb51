import assert from "node:assert/strict";
import test from "node:test";
import { checkRulePages, findNumberedTitles, renderRulePage } from "../rule-pages.ts";
import type { SourceFile } from "../source-tree.ts";

const PAGE = "docs/reference/requirements.md";
const page = (text: string): SourceFile => ({ path: PAGE, text });
const source = (path: string, text: string): SourceFile => ({ path: `packages/x/test/${path}`, text });

const stated = `# Requirements

## Stop

- **JS-01** It starts.
- **JS-02** It stops, and that takes
  two lines.

Prose between rules stays.

- **JS-03** It rests.
`;

const rendered = `# Requirements

## Stop

- **JS-01** It starts.
  - Test: [start](../../packages/x/test/start.test.ts)
- **JS-02** It stops, and that takes
  two lines.
  - Tests: [start](../../packages/x/test/start.test.ts), [stop](../../packages/x/test/stop.test.ts)

Prose between rules stays.

- **JS-03** It rests.
  - Tests: none yet

## Not held by a test yet

JS-03.
`;

const tests = [
  source("start.test.ts", 'test("JS-01: it starts", () => {});\ntest("JS-02 and JS-01: both", () => {});\n'),
  source("stop.test.ts", "test(`JS-02: ${name}`, () => {});\n"),
];

const messages = (files: readonly SourceFile[]): string[] =>
  checkRulePages(files).map(({ path, line, message }) => `${path}:${line} ${message}`);

const numbers = (path: string, code: string): string[] =>
  findNumberedTitles([source(path, code)]).map(({ number }) => number);

test("the lines about tests are generated from the titles, and again from their own result", () => {
  const titles = findNumberedTitles(tests);
  assert.equal(renderRulePage(page(stated), titles), rendered);
  assert.equal(renderRulePage(page(rendered), titles), rendered);
  assert.deepEqual(checkRulePages([...tests, page(rendered)]), []);
});

test("a page whose rules all have a test says so", () => {
  const text = renderRulePage(page("- **JS-01** It starts.\n"), findNumberedTitles(tests));
  assert.match(text, /\n## Not held by a test yet\n\nEvery number on this page has a test\.\n$/);
});

test("a rule that claims a test it does not have is a problem", () => {
  assert.deepEqual(messages([tests[0] as SourceFile, page(rendered)]), [
    `${PAGE}:9 does not say which tests there are; run node scripts/checks/write-rule-pages.ts`,
  ]);
});

test("a number in a title that no page states is a problem, where the title is", () => {
  const other = source("other.test.ts", '\ntest("JS-77: nobody knows", () => {});\n');
  assert.deepEqual(messages([...tests, other, page(rendered)]), [
    "packages/x/test/other.test.ts:2 JS-77 is stated on no page of docs/reference",
  ]);
});

test("a rule stated twice, and one on the wrong page, are problems", () => {
  const text = renderRulePage(
    page("- **JS-01** It starts.\n- **JS-01** Again.\n- **C07** In bulk.\n"),
    findNumberedTitles(tests),
  );
  const found = messages([...tests, page(text)]).filter((message) => message.startsWith(PAGE));
  assert.deepEqual(found, [`${PAGE}:3 JS-01 is stated twice`, `${PAGE}:5 C07 belongs on another page`]);
});

test("a range of numbers in a title is a problem", () => {
  for (const title of ["JS-01…JS-03: all", "JS-01 to JS-03: all", "C02–C04: all", "tables: C02 - C04"]) {
    const found = messages([source("range.test.ts", `test("${title}", () => {});\n`)]);
    assert.ok(
      found.some((message) => message.includes("a range of numbers")),
      title,
    );
  }
});

test("tables of cases belong to the tests that import them, also by way of another", () => {
  const files = [
    source("a.test.ts", 'import { rows } from "./testdata/rows.ts";\n'),
    source("b.test.ts", 'import { more } from "./testdata/more.ts";\n'),
    source("testdata/rows.ts", 'export const rows = [{ title: "JS-40: success" }];\n'),
    source("testdata/more.ts", 'export * from "./rows.ts";\n'),
  ];
  assert.deepEqual(
    findNumberedTitles(files).map(({ number, path }) => [number, path]),
    [
      ["JS-40", "packages/x/test/a.test.ts"],
      ["JS-40", "packages/x/test/b.test.ts"],
    ],
  );
});

test("comments and text inside of other literals are no titles, except in compile-time tests", () => {
  const text = '// test("JS-01: x")\nconst sample = \'test("JS-02: x")\';\ntest("holds JS-03 and C07", () => {});\n';
  assert.deepEqual(numbers("x.test.ts", text), ["JS-03", "C07"]);
  assert.deepEqual(numbers("x.test-d.ts", "/** JS-107: a union. */\nexport {};\n"), ["JS-107"]);
  assert.deepEqual(numbers("x.ts", text), []);
});
