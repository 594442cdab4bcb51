import assert from "node:assert/strict";
import test from "node:test";
import { checkMarkdownLinks } from "../markdown-links.ts";

const other = {
  path: "docs/reference/states.md",
  text: "# States\n\n## Who may `cancel`?\n\n```md\n# No heading\n```\n",
};
const messages = (text: string): string[] =>
  checkMarkdownLinks([other, { path: "docs/README.md", text }]).map(({ line, message }) => `${line} ${message}`);

test("links to files, folders and headings that exist are whole", () => {
  assert.deepEqual(
    messages("[a](reference/states.md) [b](./reference/) [c](https://example.com/x) [d](mailto:a@b.c)"),
    [],
  );
  assert.deepEqual(messages("# Here\n[a](#here) [b](reference/states.md#states)\n\n[c]: reference/states.md"), []);
  assert.deepEqual(messages("[a](reference/states.md#who-may-cancel)"), []);
  assert.deepEqual(messages("`[a](nowhere.md)`\n```\n[b](nowhere.md)\n```"), []);
});

test("a link to a file that is not there is a problem", () => {
  assert.deepEqual(messages("x\n[a](nowhere.md)"), ["2 the link nowhere.md names no file of the repository"]);
  assert.deepEqual(messages("x\n\nsee [a\nb](nowhere.md)"), ["3 the link nowhere.md names no file of the repository"]);
  assert.deepEqual(messages("[a]: nowhere.md"), ["1 the link nowhere.md names no file of the repository"]);
});

test("a link to a heading that is not there is a problem", () => {
  assert.deepEqual(messages("[a](reference/states.md#no-heading)"), [
    "1 the link reference/states.md#no-heading names no heading of docs/reference/states.md",
  ]);
});
