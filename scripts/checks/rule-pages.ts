// Ties the numbered rules and scenarios of the reference to the tests that hold them. A rule is stated once on its page;
// a test that holds it has the number in its title. What a page says about its tests is generated from the titles, so
// that no rule can claim a test it does not have.
import { posix } from "node:path";
import { findImports } from "./find-imports.ts";
import { maskCode } from "./mask-code.ts";
import { lineAt, type Problem, type SourceFile } from "./source-tree.ts";

/** The command that brings the pages up to date. */
export const WRITE_COMMAND = "node scripts/checks/write-rule-pages.ts";

/** The pages that state rules, each with the form of its numbers. */
export const RULE_PAGES: Readonly<Record<string, RegExp>> = {
  "docs/reference/requirements.md": /^(?:JS|WT|RX)-\d{2,3}$/,
  "docs/reference/cases.md": /^[CE]\d{2}$/,
};

const NUMBER = /\b(?:(?:JS|WT|RX)-\d{2,3}|[CE]\d{2})\b/g;
const RANGE = /\b(?:(?:JS|WT|RX)-\d{2,3}|[CE]\d{2})\s*(?:…|\.{2,3}|–|—|-|to|through)\s*(?:JS-|WT-|RX-|[CE])?\d{2,3}\b/;

/** The first argument of a test, a suite or a subtest. */
const TITLE = /\b(?:test|it|describe|suite|postgresTest)(?:\.[a-z]+)*\s*\(\s*(["'`])((?:\\[^]|(?!\1)[^\\])*)\1/g;
/** A literal that begins with a number: a title in a table of cases. */
const ENTRY = /(["'`])((?:(?:JS|WT|RX)-\d{2,3}|[CE]\d{2})\b(?:\\[^]|(?!\1)[^\\\n])*)\1/g;

/** Test files, and the suite of the drivers, whose files are tests as well. */
const TEST_FILE =
  /^(?:(?:packages|internal|examples|bench|interop|scripts\/consumer)\/.*\.test(?:-d)?|internal\/driver-conformance\/src\/.*)\.ts$/;
const STATEMENT = /^- \*\*((?:JS|WT|RX)-\d{2,3}|[CE]\d{2})\*\*/;
const TESTS_LINE = /^ {2}- Tests?: /;
const UNTESTED_HEADING = "## Not held by a test yet";

/** A number in a title. */
interface NumberedTitle {
  readonly number: string;
  readonly path: string;
  readonly line: number;
}

/**
 * Checks the pages against the titles of all tests.
 *
 * @param files The repository.
 */
export function checkRulePages(files: readonly SourceFile[]): Problem[] {
  const titles = findNumberedTitles(files);
  const pages = files.filter(({ path }) => path in RULE_PAGES);
  const stated = new Set(pages.flatMap((page) => statements(page).map(({ number }) => number)));
  return [
    ...pages.flatMap(repeatedOrForeign),
    ...titles
      .filter(({ number }) => !stated.has(number))
      .map(({ number, path, line }) => ({ path, line, message: `${number} is stated on no page of docs/reference` })),
    ...files.filter(isTitled).flatMap(rangesInTitles),
    ...pages.flatMap((page) => outOfDate(page, renderRulePage(page, titles))),
  ];
}

/**
 * Lists the numbers in the titles of all tests. A table of cases in a folder `testdata/` belongs to the tests that import it.
 *
 * @param files The repository.
 */
export function findNumberedTitles(files: readonly SourceFile[]): NumberedTitle[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files
    .filter(({ path }) => TEST_FILE.test(path))
    .flatMap((test) => [
      ...titleNumbers(test),
      ...importedTables(test, byPath).flatMap((table) =>
        titleNumbers(table).map(({ number }) => ({ number, path: test.path, line: 1 })),
      ),
    ]);
}

/**
 * The page with its generated parts as the titles want them.
 *
 * @param page A page of {@link RULE_PAGES}.
 * @param titles Of the whole repository.
 */
export function renderRulePage(page: SourceFile, titles: readonly NumberedTitle[]): string {
  const tests = testsByNumber(titles);
  const untested = statements(page).flatMap(({ number }) => (tests.has(number) ? [] : [number]));
  const lines: string[] = [];
  let pending: string | null = null;
  const flush = (): void => {
    if (pending !== null) lines.push(testsLine(page.path, tests.get(pending) ?? []));
    pending = null;
  };
  const [body = ""] = page.text.split(`\n${UNTESTED_HEADING}\n`, 1);
  for (const line of body.trimEnd().split("\n")) {
    if (TESTS_LINE.test(line)) continue;
    if (!/^ {2}\S/.test(line)) flush();
    lines.push(line);
    pending = STATEMENT.exec(line)?.[1] ?? pending;
  }
  flush();
  const summary = untested.length === 0 ? "Every number on this page has a test." : `${untested.join(", ")}.`;
  return `${lines.join("\n")}\n\n${UNTESTED_HEADING}\n\n${summary}\n`;
}

function testsByNumber(titles: readonly NumberedTitle[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const { number, path } of titles) found.set(number, (found.get(number) ?? new Set()).add(path));
  return new Map(Array.from(found, ([number, paths]) => [number, [...paths].toSorted()]));
}

function testsLine(page: string, paths: readonly string[]): string {
  if (paths.length === 0) return "  - Tests: none yet";
  const links = paths.map((path) => {
    const name = posix.basename(path).replace(/\.test(?:-d)?\.ts$|\.ts$/, "");
    return `[${name}](${posix.relative(posix.dirname(page), path)})`;
  });
  return `  - ${links.length === 1 ? "Test" : "Tests"}: ${links.join(", ")}`;
}

function statements(page: SourceFile): { readonly number: string; readonly line: number }[] {
  return page.text.split("\n").flatMap((line, index) => {
    const number = STATEMENT.exec(line)?.[1];
    return number === undefined ? [] : [{ number, line: index + 1 }];
  });
}

function repeatedOrForeign(page: SourceFile): Problem[] {
  const seen = new Set<string>();
  return statements(page).flatMap(({ number, line }) => {
    const message = seen.has(number)
      ? `${number} is stated twice`
      : RULE_PAGES[page.path]?.test(number) === false
        ? `${number} belongs on another page`
        : null;
    seen.add(number);
    return message === null ? [] : [{ path: page.path, line, message }];
  });
}

function outOfDate(page: SourceFile, rendered: string): Problem[] {
  if (page.text === rendered) return [];
  const [present, wanted] = [page.text.split("\n"), rendered.split("\n")];
  const line = wanted.findIndex((text, index) => text !== present[index]);
  const message = `does not say which tests there are; run ${WRITE_COMMAND}`;
  return [{ path: page.path, line: (line === -1 ? wanted.length : line) + 1, message }];
}

function rangesInTitles(file: SourceFile): Problem[] {
  return literals(file)
    .filter(({ text }) => RANGE.test(text))
    .map(({ line }) => ({ path: file.path, line, message: "a range of numbers in a title; write each number out" }));
}

/** Tests and the tables they may import. */
function isTitled({ path }: SourceFile): boolean {
  return TEST_FILE.test(path) || /^(?:packages|internal|examples|bench|interop)\/.*\/testdata\/.*\.ts$/.test(path);
}

function titleNumbers(file: SourceFile): NumberedTitle[] {
  return literals(file).flatMap(({ text, line }) =>
    [...text.matchAll(NUMBER)].map(([number]) => ({ number, path: file.path, line })),
  );
}

/** The titles of a file. A compile-time test has none, so there every comment counts. */
function literals(file: SourceFile): { readonly text: string; readonly line: number }[] {
  if (file.path.endsWith(".test-d.ts")) return [{ text: file.text, line: 1 }];
  const { code } = maskCode(file.text);
  const byOffset = new Map<number, string>();
  for (const form of [TITLE, ENTRY]) {
    for (const match of file.text.matchAll(form)) {
      const [whole, quote = "", text = ""] = match;
      const at = match.index + whole.length - text.length - 2;
      // What is not code is a comment, or text inside of another literal.
      if (code[at] === quote) byOffset.set(at, text);
    }
  }
  return Array.from(byOffset, ([at, text]) => ({ text, line: lineAt(file.text, at) }));
}

function importedTables(test: SourceFile, byPath: ReadonlyMap<string, SourceFile>): SourceFile[] {
  const found = new Set<SourceFile>();
  const visit = (file: SourceFile): void => {
    for (const { specifier } of findImports(file.text)) {
      if (!specifier.startsWith(".")) continue;
      const target = byPath.get(posix.join(posix.dirname(file.path), specifier));
      if (target === undefined || found.has(target) || !target.path.includes("/testdata/")) continue;
      found.add(target);
      visit(target);
    }
  };
  visit(test);
  return [...found];
}
