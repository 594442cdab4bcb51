import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import test from "node:test";
import { compareSurface } from "../compare-surface.ts";
import { publishedEntries } from "../published-entries.ts";
import { readSurface } from "../read-surface.ts";
import { SURFACE } from "../surface.data.ts";

const entries = publishedEntries(dirname(dirname(dirname(import.meta.dirname))));
/** For drivers, which are released together with the core: its names may change, but not go without a docstring. */
const SEAM = "riverqueue/driver";

test("every published entry but the seam for drivers has a list of names, and no other has", () => {
  const specifiers = entries.map(({ specifier }) => specifier).filter((specifier) => specifier !== SEAM);
  assert.deepEqual(Object.keys(SURFACE).toSorted(), specifiers.toSorted());
});

for (const { specifier, report } of entries) {
  const found = readSurface(readFileSync(report, "utf8"));
  const listed = SURFACE[specifier];
  if (listed === undefined) {
    test(`every name of ${specifier} has a docstring`, () => {
      assert.deepEqual(
        found.names.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name),
        [],
      );
    });
    continue;
  }
  test(`${specifier} exports what is listed, name by name and documented`, () => {
    assert.deepEqual(compareSurface(listed, found), []);
  });
}
