import assert from "node:assert/strict";
import test from "node:test";
import { type as ark } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { decodeArgs } from "../../src/definition/decode-args.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import type { StandardSchemaV1 } from "../../src/definition/standard-schema.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { parseJsonObject } from "../../src/json/parse-json.ts";
import { PayloadValidationError } from "../../src/model/errors/payload-validation-error.ts";

const secret = "s3cret";

test("a schema's output is what workers get", () => {
  const definition = defineJob({
    kind: "mail",
    schema: z.object({ at: z.string().transform((text) => new Date(text)), n: z.number().default(3) }),
  });
  assert.deepEqual(decodeArgs(definition, parseJsonObject('{"at":"2026-01-01T00:00:00Z"}'), "work"), {
    at: new Date("2026-01-01T00:00:00Z"),
    n: 3,
  });
});

for (const [library, schema] of [
  ["Zod", z.object({ list: z.array(z.object({ to: z.number() })) })],
  ["Valibot", v.object({ list: v.array(v.object({ to: v.number() })) })],
  ["ArkType", ark({ list: ark({ to: "number" }).array() })],
] as readonly (readonly [string, StandardSchemaV1<JsonObject>])[]) {
  test(`${library}: the error names kind, phase and path, and no value`, () => {
    const definition = defineJob({ kind: "mail", schema });
    for (const phase of ["insert", "work"] as const) {
      assert.throws(
        () => decodeArgs(definition, parseJsonObject(`{"list":[{"to":"${secret}"}]}`), phase),
        (error) => {
          assert(error instanceof PayloadValidationError);
          assert.equal(error.code, "payload_validation");
          assert.equal(error.kind, "mail");
          assert.equal(error.phase, phase);
          assert.equal(error.message, 'args do not pass the schema of job kind "mail" at $.list[0].to');
          assert(!JSON.stringify([error.message, error.details, error.cause]).includes(secret));
          return true;
        },
      );
    }
  });
}

test("several issues are named once each", () => {
  const definition = defineJob({ kind: "mail", schema: z.object({ a: z.string().min(9).regex(/x/), b: z.string() }) });
  assert.throws(() => decodeArgs(definition, parseJsonObject('{"a":"1"}'), "insert"), {
    message: 'args do not pass the schema of job kind "mail" at $.a, $.b',
  });
});

test("a decoder's result is what workers get, and what it throws becomes the cause", () => {
  const definition = defineJob({
    kind: "mail",
    decode(value) {
      if (typeof value["to"] !== "string") throw new TypeError("to must be a string");
      return { to: value["to"].toUpperCase() };
    },
  });
  assert.deepEqual(decodeArgs(definition, parseJsonObject('{"to":"ada"}'), "work"), { to: "ADA" });
  assert.throws(
    () => decodeArgs(definition, parseJsonObject("{}"), "work"),
    (error) => {
      assert(error instanceof PayloadValidationError);
      assert.equal(error.message, 'args do not pass the check of job kind "mail", which threw');
      assert(error.cause instanceof TypeError);
      return true;
    },
  );
});

test("schemas and decoders may be asynchronous", async () => {
  const bySchema = defineJob({ kind: "mail", schema: z.object({ to: z.string().refine(async (to) => to !== "bad") }) });
  await assert.rejects(async () => decodeArgs(bySchema, parseJsonObject('{"to":"bad"}'), "insert"), {
    name: "PayloadValidationError",
    message: 'args do not pass the schema of job kind "mail" at $.to',
  });
  assert.deepEqual(await decodeArgs(bySchema, parseJsonObject('{"to":"ada"}'), "insert"), { to: "ada" });

  const byDecoder = defineJob({
    kind: "mail",
    decode: async (value) => (value["to"] === "bad" ? Promise.reject(new Error("no")) : 7),
  });
  await assert.rejects(async () => decodeArgs(byDecoder, parseJsonObject('{"to":"bad"}'), "work"), {
    name: "PayloadValidationError",
  });
  assert.equal(await decodeArgs(byDecoder, parseJsonObject("{}"), "work"), 7);
});

test("a schema that throws or answers nonsense is a payload error, not a crash", () => {
  for (const validate of [
    () => {
      throw new Error("broken");
    },
    () => null,
  ]) {
    const schema = { "~standard": { version: 1, vendor: "test", validate } } as unknown as z.ZodObject;
    const definition = defineJob({ kind: "mail", schema });
    assert.throws(() => decodeArgs(definition, parseJsonObject("{}"), "insert"), PayloadValidationError);
  }
});

test("without schema and decoder workers get the stored JSON", () => {
  const raw = parseJsonObject('{"id":9007199254740993}');
  assert.equal(decodeArgs(defineJob({ kind: "mail" }), raw, "work"), raw);
});
