import assert from "node:assert/strict";
import test from "node:test";
import { checkImportLevels } from "../import-levels.ts";

const messages = (path: string, text: string): string[] =>
  checkImportLevels([{ path, text }]).map(({ line, message }) => `${line} ${message}`);

test("imports that point down are allowed", () => {
  assert.deepEqual(
    messages("packages/riverqueue/src/client/client.ts", 'import "../model/job-row.ts";\nimport "node:fs";'),
    [],
  );
  assert.deepEqual(
    messages("packages/riverqueue/src/driver/driver.ts", 'import type { A } from "../json/json-value.ts";'),
    [],
  );
  assert.deepEqual(
    messages("packages/driver-sqlite/src/index.ts", 'import "riverqueue/driver";\nimport "./sql/a.ts";'),
    [],
  );
  assert.deepEqual(
    messages("examples/index-folder/src/main.ts", 'import "riverqueue"; import "@riverqueue/migrate";'),
    [],
  );
});

test("a driver may name the core to register its transaction type, and for nothing else", () => {
  const path = "packages/driver-sqlite/src/index.ts";
  assert.deepEqual(messages(path, 'import type {} from "riverqueue";'), []);
  assert.deepEqual(messages(path, 'import type { Client } from "riverqueue";'), [
    '1 packages/driver-sqlite may not import "riverqueue"; allowed: riverqueue/driver',
  ]);
});

test("the command line reaches databases by dynamic imports only", () => {
  const path = "packages/cli/src/open.ts";
  assert.deepEqual(messages(path, 'import "riverqueue"; import "@riverqueue/migrate"; await import("pg");'), []);
  assert.deepEqual(messages(path, 'type Pg = typeof import("pg"); await import("@riverqueue/driver-sqlite");'), []);
  for (const text of ['import "pg";', 'export * from "pg";', 'import type { Client } from "pg";']) {
    assert.deepEqual(messages(path, text), [
      '1 packages/cli may not import "pg"; allowed: riverqueue, @riverqueue/migrate',
    ]);
  }
});

test("a room of the core may not import from a room above it, types included", () => {
  assert.deepEqual(
    messages("packages/riverqueue/src/model/job-row.ts", '\nimport type { A } from "../driver/index.ts";'),
    ["2 room model may not import from driver, which stands above it"],
  );
  assert.deepEqual(messages("packages/riverqueue/src/runtime/a.ts", 'export * from "../index.ts";'), [
    "1 room runtime may not import from index.ts, which stands above it",
  ]);
});

test("a room without a level is a problem", () => {
  assert.deepEqual(messages("packages/riverqueue/src/attic/a.ts", 'import "../model/b.ts";'), [
    "1 room attic has no level in the table of import levels",
  ]);
});

test("the core imports no driver, not even dynamically, and drivers not each other", () => {
  assert.match(
    messages("packages/riverqueue/src/client/a.ts", 'await import("@riverqueue/driver-sqlite");').join(""),
    /no package/,
  );
  assert.match(
    messages("packages/migrate/src/a.ts", 'import type { A } from "@riverqueue/driver-sqlite";').join(""),
    /allowed/,
  );
  assert.match(
    messages("packages/driver-sqlite/src/a.ts", 'import "riverqueue";').join(""),
    /allowed: riverqueue\/driver/,
  );
});

test("a package that the table does not know is a problem", () => {
  assert.match(messages("packages/new/src/a.ts", 'import "riverqueue";').join(""), /no line in the table/);
});

test("no file reaches into another package by a path, tests included", () => {
  assert.match(
    messages("packages/migrate/test/a.test.ts", 'import "../../riverqueue/src/index.ts";').join(""),
    /by a path/,
  );
  assert.deepEqual(messages("packages/migrate/test/a.test.ts", 'import "../src/index.ts"; import "zod";'), []);
});

test("sources do not import from tests", () => {
  assert.match(messages("packages/migrate/src/a.ts", 'import "../test/b.ts";').join(""), /outside of src/);
});

test("what runs in Workers imports no package and nothing of Node's, but for its embedded home", () => {
  const text = 'import "riverqueue";\nimport type {} from "node:fs";\nimport "../kit/duration.ts";';
  assert.deepEqual(messages("packages/reaction/src/queues/define-queue.ts", text), [
    '1 only packages/reaction/src/embedded/ may import "riverqueue"; the rest of packages/reaction uses web-standard APIs alone',
    '2 only packages/reaction/src/embedded/ may import "node:fs"; the rest of packages/reaction uses web-standard APIs alone',
  ]);
  assert.deepEqual(messages("packages/reaction/src/embedded/home.ts", text), []);
  assert.deepEqual(messages("packages/reaction/test/emit.test.ts", text.replaceAll("../kit", "../src/kit")), []);
});
