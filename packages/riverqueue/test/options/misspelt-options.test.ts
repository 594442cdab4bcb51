/** Every option of the reference is recognized when it is misspelt, and when it is given in milliseconds. */
import assert from "node:assert/strict";
import test from "node:test";
import { closeRefusals, type Refusal, REFUSALS } from "../docs/testdata/option-refusals.ts";
import { Page } from "../docs/testdata/read-page.ts";
import { refusalOf } from "./testdata/refusal-of.ts";

const page = new Page("reference/options.md");

test.after(closeRefusals);

for (const [section, refusal] of Object.entries(REFUSALS)) {
  test(`JS-101 slips in all options of the section ${section} are answered at once with the names that were meant`, async () => {
    const names = page.names(section);
    const message = await messageFor(
      refusal,
      names.map((name) => slipOf(name)),
    );
    for (const name of names) {
      assert.match(message, new RegExp(`\\b${slipOf(name)} is not an option; did you mean ${name}\\?`));
    }
  });

  test(`JS-101 no option of the section ${section} is taken in milliseconds, and one error says so of all`, async () => {
    const names = page.names(section);
    const message = await messageFor(
      refusal,
      names.map((name) => `${name}Ms`),
    );
    for (const name of names) {
      assert.match(message, new RegExp(`\\b${name}Ms is not an option; use ${name} with a duration such as`));
    }
  });
}

/** The name without its last letter but one. */
function slipOf(name: string): string {
  return `${name.slice(0, -2)}${name.at(-1)}`;
}

async function messageFor(refusal: Refusal, names: readonly string[]): Promise<string> {
  const { message } = await refusalOf(refusal, Object.fromEntries(names.map((name) => [name, 1])));
  return message;
}
