import assert from "node:assert/strict";
import test from "node:test";
import { readSurface } from "../read-surface.ts";

const report = (...declarations: string[]): string =>
  ["## API Report", "", "```ts", "", declarations.join("\n\n"), "", "```", ""].join("\n");

const kinds = (text: string): string[] =>
  readSurface(text).names.map(
    ({ name, isValue, isType, isDocumented }) =>
      `${name}${isValue ? " value" : ""}${isType ? " type" : ""}${isDocumented ? "" : " undocumented"}`,
  );

test("classes are values and types, functions and constants values, interfaces and aliases types", () => {
  const text = report(
    "// @public\nexport class A extends B {\n}",
    "// @public\nexport abstract class B {\n}",
    "// @public\nexport function c(): void;",
    "// @public\nexport const d: D;",
    "// @public\nexport interface E {\n}",
    "// @public\nexport type F = string;",
  );
  assert.deepEqual(kinds(text), ["A value type", "B value type", "c value", "d value", "E type", "F type"]);
});

test("what is not exported is not listed", () => {
  assert.deepEqual(kinds(report("// @public\ninterface Inner {\n    readonly a: string;\n}")), []);
});

test("a constant and a type of one name are one name", () => {
  const text = report("// @public\nexport type A = B;", "// @public\nexport const A: B;");
  assert.deepEqual(kinds(text), ["A value type"]);
});

test("one documented overload documents a function", () => {
  const text = report(
    "// @public\nexport function a(): void;",
    "// @public (undocumented)\nexport function a(b: 1): void;",
  );
  assert.deepEqual(kinds(text), ["a value"]);
  assert.deepEqual(kinds(report("// @public (undocumented)\nexport function a(): void;")), ["a value undocumented"]);
});

test("what is handed on from another package counts as value and type", () => {
  assert.deepEqual(kinds(report("export { A }")), ["A value type"]);
});

test("additions are exported names, and members of exported names", () => {
  const text = report(
    "// @public @addition\nexport interface A {\n    // (undocumented)\n    readonly b: string;\n}",
    "// @public\nexport class C {\n    // @addition\n    readonly d?: string | undefined;\n    // @addition (undocumented)\n    e(): void;\n    f(): void;\n}",
    "// @public @addition\ninterface Inner {\n    // @addition\n    readonly a: string;\n}",
  );
  assert.deepEqual(readSurface(text).additions, ["A", "C.d", "C.e"]);
});

test("members of what stands behind an exported alias of the same name are members of that name", () => {
  const text = report(
    "// @public\nexport type A = A_2;",
    "// @public\ninterface A_2 {\n    // @addition\n    readonly b: string;\n}",
  );
  assert.deepEqual(readSurface(text).additions, ["A.b"]);
});

test("an export of an unknown form is an error, not a gap", () => {
  assert.throws(
    () => readSurface(report("// @public\nexport namespace A {\n}")),
    /the form of this export is not known/,
  );
});
