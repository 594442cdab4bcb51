/** Every option of the reference refuses a value of a type that none takes, and one error tells of all. */
import assert from "node:assert/strict";
import test from "node:test";
import { closeRefusals, type Refusal, REFUSALS, TWINS } from "../docs/testdata/option-refusals.ts";
import { Page } from "../docs/testdata/read-page.ts";
import { RiverError } from "../../src/model/errors/river-error.ts";
import { refusalOf } from "./testdata/refusal-of.ts";

const page = new Page("reference/options.md");
/** No option is a symbol. */
const NONSENSE = Symbol("nonsense");

test.after(closeRefusals);

for (const [section, place, refusal] of placesOf()) {
  const names = page.names(section);

  test(`JS-100 each option of the section ${section}${place} refuses nonsense by its path`, async () => {
    for (const name of names) assertNames(await refusalOf(refusal, { [name]: NONSENSE }), [name]);
  });

  test(`JS-100 nonsense in all options of the section ${section}${place} is one error that names them all`, async () => {
    const options = Object.fromEntries(names.map((name) => [name, NONSENSE]));
    assertNames(await refusalOf(refusal, options), names);
  });
}

/** Where the options of each section are taken. */
function placesOf(): readonly (readonly [section: string, place: string, refusal: Refusal])[] {
  return [
    ...Object.entries(REFUSALS).map(([section, refusal]) => [section, "", refusal] as const),
    ...Object.entries(TWINS).map(([section, refusal]) => [section, ", where else they are taken,", refusal] as const),
  ];
}

function assertNames(error: Error, names: readonly string[]): void {
  assert.ok(error instanceof RiverError, String(error));
  assert.ok(["configuration", "validation"].includes(error.code), error.code);
  for (const name of names) assert.match(error.message, new RegExp(`(?:^|[ .])${name}\\b`));
}
