import assert from "node:assert/strict";
import test from "node:test";
import { findImports } from "../find-imports.ts";

const found = (text: string): string[] => findImports(text).map(({ specifier, line }) => `${line} ${specifier}`);

test("every form of import is found, types included", () => {
  const text = [
    'import a from "./a.ts";',
    "import type { B } from './b.ts';",
    "import {",
    "  c,",
    '} from "./c.ts";',
    'import "./d.ts";',
    'export * from "./e.ts";',
    'export type { F } from "./f.ts";',
    'const g = await import("./g.ts");',
    'let h: import("./h.ts").H;',
    'import i, * as j from "./i.ts"; import k from "./k.ts"',
  ].join("\n");
  assert.deepEqual(found(text), [
    "1 ./a.ts",
    "2 ./b.ts",
    "5 ./c.ts",
    "6 ./d.ts",
    "7 ./e.ts",
    "8 ./f.ts",
    "9 ./g.ts",
    "10 ./h.ts",
    "11 ./i.ts",
    "11 ./k.ts",
  ]);
});

test("what only looks like an import is not found", () => {
  const text = [
    '// import a from "./a.ts";',
    '/* import b from "./b.ts"; */',
    'const c = `import c from "./c.ts" ${[`import "./d.ts"`]} import(\'./e.ts\')`;',
    "const f = 'import f from \"./f.ts\"';",
    'const g = /import "[/"]\\/x"/.test(f) ? 4 / 2 : "import";',
    'declare module "riverqueue" {}',
    "const from = import.meta.dirname;",
    'thing.import("./h.ts");',
    'export const i = 1; const j = { from: "./j.ts" };',
    'export function k(from: string = "./k.ts"): void {}',
  ].join("\n");
  assert.deepEqual(found(text), []);
});

test("code after literals of every kind is still read", () => {
  const text = [
    "const a = `${ { b: `}` }.b }`;",
    "const c = x / 2; const d = y / 3;",
    String.raw`const e = "\"'"; const f = /["'${"`"}]/g;`,
    'import "./g.ts";',
  ].join("\n");
  assert.deepEqual(found(text), ["4 ./g.ts"]);
});
