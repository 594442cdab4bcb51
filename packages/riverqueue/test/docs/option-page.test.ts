import assert from "node:assert/strict";
import test from "node:test";
import { closeRefusals, type Refusal, REFUSALS, TWINS } from "./testdata/option-refusals.ts";
import { Page } from "./testdata/read-page.ts";

const page = new Page("reference/options.md");

/** A name that is like no other, so that the refusal lists all that are known. */
const UNKNOWN = { "§": 1 };

test.after(closeRefusals);

async function knownNames(refused: Refusal): Promise<string[]> {
  try {
    await refused(UNKNOWN);
  } catch (error) {
    const list = /§ is not an option; known are ([^;]+)/.exec((error as Error).message)?.[1];
    assert.ok(list, (error as Error).message);
    return list.split(", ").toSorted();
  }
  throw new Error("an unknown option was accepted");
}

test("every section of the page is compared with what is accepted", () => {
  assert.deepEqual(page.sections, Object.keys(REFUSALS));
});

for (const [section, refused] of Object.entries(REFUSALS)) {
  test(`the options of the section ${section} are those that are accepted, both ways`, async () => {
    assert.deepEqual(page.names(section).toSorted(), await knownNames(refused));
  });
}

for (const [section, refused] of Object.entries(TWINS)) {
  test(`the options of the section ${section} are accepted elsewhere too`, async () => {
    const known = await knownNames(refused);
    assert.deepEqual(
      page
        .names(section)
        .filter((name) => name !== "tx")
        .toSorted(),
      known,
    );
  });
}
