import assert from "node:assert/strict";
import test from "node:test";
import { compareSurface, type ListedSurface } from "../compare-surface.ts";
import type { ExportedName } from "../read-surface.ts";

const LISTED: ListedSurface = { values: ["run"], types: ["Options"], additions: [] };
const run: ExportedName = { name: "run", isValue: true, isType: false, isDocumented: true };
const options: ExportedName = { name: "Options", isValue: false, isType: true, isDocumented: true };

const compare = (listed: Partial<ListedSurface>, names: readonly ExportedName[], additions: string[] = []): string[] =>
  compareSurface({ ...LISTED, ...listed }, { names, additions });

test("equal surfaces do not differ", () => {
  assert.deepEqual(compare({}, [run, options]), []);
});

test("a listed name that is not exported is missing", () => {
  assert.deepEqual(compare({}, [options]), ["value run is missing"]);
  assert.deepEqual(compare({}, [run]), ["type Options is missing"]);
});

test("an exported name that is not listed is too many", () => {
  const more = { ...options, name: "More" };
  assert.deepEqual(compare({}, [run, options, more]), ["type More is exported and not listed"]);
});

test("a value that became a type is both missing and too many", () => {
  assert.deepEqual(compare({}, [{ ...run, isValue: false, isType: true }, options]), [
    "value run is missing",
    "type run is exported and not listed",
  ]);
});

test("a name that is value and type has to be both", () => {
  const both = { types: ["Options", "run"] };
  assert.deepEqual(compare(both, [{ ...run, isType: true }, options]), []);
  assert.deepEqual(compare(both, [run, options]), ["type run is missing beside the value"]);
});

test("additions are listed and marked, both ways", () => {
  const more = { ...options, name: "More" };
  assert.deepEqual(compare({ additions: ["More", "Options.x"] }, [run, options, more], ["More", "Options.x"]), []);
  assert.deepEqual(compare({ additions: ["More"] }, [run, options, more]), ["addition More is missing"]);
  assert.deepEqual(compare({}, [run, options], ["Options.x"]), [
    "addition Options.x is marked @addition and not listed",
  ]);
});

test("a name without a docstring is reported", () => {
  assert.deepEqual(compare({}, [{ ...run, isDocumented: false }, options]), ["run has no docstring"]);
});
