/** Every option of the reference is recognized when it is misspelt, and when it is given in milliseconds. */
import assert from "node:assert/strict";
import test from "node:test";
import { closeRefusals, type Refusal, REFUSALS } from "../docs/testdata/option-refusals.ts";
import { Page } from "../docs/testdata/read-page.ts";

const page = new Page("reference/options.md");

test.after(closeRefusals);

for (const [section, refusal] of Object.entries(REFUSALS)) {
  test(`JS-101 a slip in an option of the section ${section} is answered with the name that was meant`, async () => {
    for (const name of page.names(section)) {
      const slip = `${name.slice(0, -2)}${name.at(-1)}`;
      assert.match(await refusalOf(refusal, slip), new RegExp(`\\b${slip} is not an option; did you mean ${name}\\?`));
    }
  });

  test(`JS-101 no option of the section ${section} is taken in milliseconds`, async () => {
    for (const name of page.names(section)) {
      const pattern = new RegExp(`\\b${name}Ms is not an option; use ${name} with a duration such as`);
      assert.match(await refusalOf(refusal, `${name}Ms`), pattern);
    }
  });
}

async function refusalOf(refusal: Refusal, name: string): Promise<string> {
  try {
    await refusal({ [name]: 1 });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`${name} was accepted`);
}
