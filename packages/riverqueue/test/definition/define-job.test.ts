import assert from "node:assert/strict";
import test from "node:test";
import { type as ark } from "arktype";
import { z } from "zod";
import { defineJob } from "../../src/definition/define-job.ts";
import { isJobDefinition } from "../../src/definition/is-job-definition.ts";
import type { UncheckedJobDefinitionConfig } from "../../src/definition/job-definition-config.ts";
import { ConfigurationError } from "../../src/model/errors/configuration-error.ts";

const kindExpectation =
  "must be 2 to 127 characters: a letter, digit or _, then letters, digits and _ - [ ] < > / . · : +";

function define(config: unknown) {
  return defineJob(config as UncheckedJobDefinitionConfig);
}

test("a definition carries its configuration, frozen", () => {
  const definition = defineJob({
    kind: "mail.send",
    kindAliases: ["mail_send"],
    defaults: { queue: "mail", delay: { minutes: 1 } },
    schema: z.object({ to: z.string() }),
  });
  assert.equal(definition.kind, "mail.send");
  assert.deepEqual(definition.kindAliases, ["mail_send"]);
  assert.equal(definition.defaults.queue, "mail");
  assert.equal(definition.defaults.delay?.toString(), "PT1M");
  assert.equal(definition.deleteOnComplete, false);
  assert(
    Object.isFrozen(definition) && Object.isFrozen(definition.kindAliases) && Object.isFrozen(definition.defaults),
  );
});

test("isJobDefinition knows what defineJob made, and nothing else", () => {
  const definition = defineJob({ kind: "known" });
  assert.equal(isJobDefinition(definition), true);
  assert.equal(isJobDefinition(defineJob<{ a: string }>()({ kind: "known" })), true);
  for (const value of [{ ...definition }, {}, null, undefined, "known", 1, () => {}]) {
    assert.equal(isJobDefinition(value), false);
  }
});

test("kinds of two to 127 characters of the grammar are accepted", () => {
  for (const kind of ["ab", "_a", "0-", "ns.job·v2:x", "list[a]<b>/c+d", "a".repeat(127)]) {
    assert.equal(defineJob({ kind }).kind, kind);
  }
});

for (const [what, config, message] of [
  ["a missing configuration", undefined, /^options must be an object; kind must be/],
  ["a missing kind", {}, `kind ${kindExpectation}`],
  ["a kind of one character", { kind: "a" }, `kind ${kindExpectation}`],
  ["a kind of 128 characters", { kind: "a".repeat(128) }, `kind ${kindExpectation}`],
  ["a kind that begins with a hyphen", { kind: "-a" }, `kind ${kindExpectation}`],
  ["a kind with a space", { kind: "a b" }, `kind ${kindExpectation}`],
  ["a kind with a letter beyond ASCII", { kind: "né" }, `kind ${kindExpectation}`],
  ["a kind with a final line feed", { kind: "ab\n" }, `kind ${kindExpectation}`],
  ["a misspelt option", { kind: "ab", kindAlias: [] }, "kindAlias is not an option; did you mean kindAliases?"],
  ["aliases that are no list", { kind: "ab", kindAliases: "cd" }, "kindAliases must be a list of job kinds"],
  ["a bad alias", { kind: "ab", kindAliases: ["cd", "e"] }, `kindAliases[1] ${kindExpectation}`],
  ["an alias that is the kind", { kind: "ab", kindAliases: ["ab"] }, "kindAliases[0] must not repeat a kind"],
  ["an alias given twice", { kind: "ab", kindAliases: ["cd", "cd"] }, "kindAliases[1] must not repeat a kind"],
  ["a bad default", { kind: "ab", defaults: { priority: 7 } }, "defaults.priority must be an integer from 1 to 4"],
  [
    "a default that is not JSON",
    { kind: "ab", defaults: { metadata: { s: "\0" } } },
    "defaults.metadata at $.s: expected a string without U+0000",
  ],
  ["a transaction among the defaults", { kind: "ab", defaults: { tx: {} } }, /^defaults\.tx is not an option/],
  [
    "a path that cannot be used",
    { kind: "ab", defaults: { unique: { byArgs: ["a.1"] } } },
    'defaults.unique.byArgs: path "a.1": segment "1" cannot be used',
  ],
  [
    "a schema of another standard",
    { kind: "ab", schema: { parse() {} } },
    "schema must be a Standard Schema v1 validator, such as one of Zod, Valibot or ArkType",
  ],
  ["a decoder that is no function", { kind: "ab", decode: {} }, "decode must be a function"],
  [
    "schema and decoder",
    { kind: "ab", schema: z.object({}), decode() {} },
    "decode cannot be given together with schema",
  ],
  [
    "deleteOnComplete of another type",
    { kind: "ab", deleteOnComplete: "yes" },
    "deleteOnComplete must be true or false",
  ],
  ["deleteOnComplete that is null", { kind: "ab", deleteOnComplete: null }, "deleteOnComplete must be true or false"],
] as const) {
  test(`refuses ${what}`, () => {
    assert.throws(() => define(config), { name: "ConfigurationError", message });
  });
}

test("refuses deleteOnComplete beside a unique default that counts completed jobs without saying so", () => {
  const message = "deleteOnComplete frees unique keys at completion: write out defaults.unique.byState";
  for (const unique of [{ byArgs: true }, { byQueue: true, byState: [] }]) {
    assert.throws(() => define({ kind: "ab", deleteOnComplete: true, defaults: { unique } }), {
      name: "ConfigurationError",
      message,
    });
  }
});

test("accepts deleteOnComplete with written-out states, and beside a default that is not unique", () => {
  const byState = ["available", "pending", "running", "scheduled", "completed"] as const;
  for (const unique of [{ byArgs: true, byState }, { byQueue: false }, undefined]) {
    assert.equal(defineJob({ kind: "ab", deleteOnComplete: true, defaults: { unique } }).deleteOnComplete, true);
  }
});

test("everything wrong with a definition is in one error", () => {
  assert.throws(
    () => define({ kind: "", kindAliases: 1, defaults: { queue: "" }, decode: 1 }),
    (error) => {
      assert(error instanceof ConfigurationError);
      const problems = error.details["problems"] as { path: string }[];
      assert.deepEqual(
        problems.map(({ path }) => path),
        ["kind", "kindAliases", "defaults.queue", "decode"],
      );
      return true;
    },
  );
});

test("callable schemas are schemas", () => {
  assert(isJobDefinition(defineJob({ kind: "ark", schema: ark({ to: "string" }) })));
});
