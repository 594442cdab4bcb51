/** What the compiler accepts and refuses about job definitions. Nothing here runs. */
import { type as ark } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type { Equal } from "./testdata/equal.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import type { Job, JobDefinition, JobDefinitionArgs, JobDefinitionInput } from "../../src/definition/job-definition.ts";
import type { CheckedJobInput, JobDefinitionTypeError, JsonCompatible } from "../../src/definition/json-compatible.ts";
import type { ExactJsonNumber, JsonObject, JsonValue } from "../../src/json/json-value.ts";

type InputOf<D extends JobDefinition> = JobDefinitionInput<D>;
type ArgsOf<D extends JobDefinition> = JobDefinitionArgs<D>;

interface Mail {
  to: string;
  copies?: string[];
}
interface Tree {
  value: number;
  children: Tree[];
}

// With a schema: producers pass its input, workers get its output.
const zodJob = defineJob({
  kind: "mail.zod",
  schema: z.object({ at: z.string().transform((text) => new Date(text)) }),
});
true satisfies Equal<InputOf<typeof zodJob>, { at: string }>;
true satisfies Equal<ArgsOf<typeof zodJob>, { at: Date }>;
true satisfies Equal<(typeof zodJob)["kind"], "mail.zod">;

const zodDefault = defineJob({ kind: "count.zod", schema: z.object({ count: z.number().default(1) }) });
true satisfies Equal<InputOf<typeof zodDefault>, { count?: number | undefined }>;
true satisfies Equal<ArgsOf<typeof zodDefault>, { count: number }>;

const valibotJob = defineJob({
  kind: "mail.valibot",
  schema: v.object({ to: v.string(), n: v.optional(v.number(), 1) }),
});
true satisfies Equal<InputOf<typeof valibotJob>, { to: string; n?: number | undefined }>;
true satisfies Equal<ArgsOf<typeof valibotJob>, { to: string; n: number }>;

const arkJob = defineJob({ kind: "mail.ark", schema: ark({ to: "string", "urgent?": "boolean" }) });
true satisfies Equal<InputOf<typeof arkJob>, { to: string; urgent?: boolean }>;

defineJob({ kind: "record", schema: z.record(z.string(), z.unknown()) });
defineJob({
  kind: "union",
  schema: z.discriminatedUnion("t", [z.object({ t: z.literal("a") }), z.object({ t: z.literal("b") })]),
});
defineJob({
  kind: "nested",
  schema: z.object({ list: z.array(z.object({ tuple: z.tuple([z.string(), z.number()]) })) }),
});
defineJob({ kind: "any", schema: z.object({ anything: z.any() }) });

// A schema whose input is not JSON.
// @ts-expect-error a Date is not JSON
defineJob({ kind: "bad.date", schema: z.object({ at: z.date() }) });
// @ts-expect-error a bigint is not JSON
defineJob({ kind: "bad.bigint", schema: z.object({ id: z.bigint() }) });
// @ts-expect-error a Map is not JSON
defineJob({ kind: "bad.map", schema: z.object({ map: z.map(z.string(), z.number()) }) });
// @ts-expect-error a Set is not JSON
defineJob({ kind: "bad.set", schema: z.object({ set: z.set(z.string()) }) });
// @ts-expect-error a class value is not JSON
defineJob({ kind: "bad.class", schema: z.object({ link: z.instanceof(URL) }) });
// @ts-expect-error deep inside, too
defineJob({ kind: "bad.deep", schema: z.object({ list: z.array(z.object({ at: z.date() })) }) });
// @ts-expect-error in one member of a union, too
defineJob({ kind: "bad.union", schema: z.object({ when: z.union([z.string(), z.date()]) }) });
// @ts-expect-error arrays at the top are no job arguments
defineJob({ kind: "bad.array", schema: z.array(z.string()) });
// @ts-expect-error primitives at the top are no job arguments
defineJob({ kind: "bad.primitive", schema: z.string() });
// @ts-expect-error undefined has no place in an array
defineJob({ kind: "bad.undefined", schema: z.object({ list: z.array(z.string().optional()) }) });
// @ts-expect-error a Date is not JSON
defineJob({ kind: "bad.valibot", schema: v.object({ at: v.date() }) });
// @ts-expect-error a Date is not JSON
defineJob({ kind: "bad.ark", schema: ark({ at: "Date" }) });

// With a decoder.
const decoded = defineJob({ kind: "decoded", decode: (value) => ({ to: JSON.stringify(value["to"]) }) });
true satisfies Equal<InputOf<typeof decoded>, { to: string }>;
true satisfies Equal<ArgsOf<typeof decoded>, { to: string }>;

const decodedRich = defineJob({ kind: "decoded.rich", decode: async (value) => new Date(JSON.stringify(value["at"])) });
true satisfies Equal<InputOf<typeof decodedRich>, JsonObject>;
true satisfies Equal<ArgsOf<typeof decodedRich>, Date>;

// @ts-expect-error schema and decoder exclude each other
defineJob({ kind: "both", schema: z.object({}), decode: (value: JsonObject) => value });

// With neither.
const unchecked = defineJob({ kind: "unchecked" });
true satisfies Equal<InputOf<typeof unchecked>, JsonObject>;
true satisfies Equal<ArgsOf<typeof unchecked>, JsonObject>;
// @ts-expect-error the kind is needed
defineJob({});
// @ts-expect-error no such option
defineJob({ kind: "unknown.option", maxAttempts: 3 });
// @ts-expect-error durations have no unit in their name
defineJob({ kind: "unknown.default", defaults: { delayMs: 5 } });

// With the producer type fixed first.
const fixed = defineJob<Mail>()({ kind: "fixed" });
true satisfies Equal<InputOf<typeof fixed>, Mail>;
true satisfies Equal<ArgsOf<typeof fixed>, Mail>;
true satisfies Equal<(typeof fixed)["kind"], "fixed">;

const fixedSchema = defineJob<{ at: string }>()({ kind: "fixed.schema", schema: z.object({ at: z.coerce.date() }) });
true satisfies Equal<InputOf<typeof fixedSchema>, { at: string }>;
true satisfies Equal<ArgsOf<typeof fixedSchema>, { at: Date }>;

const fixedDecoder = defineJob<Mail>()({ kind: "fixed.decoder", decode: () => new Map<string, number>() });
true satisfies Equal<InputOf<typeof fixedDecoder>, Mail>;
true satisfies Equal<ArgsOf<typeof fixedDecoder>, Map<string, number>>;

defineJob<Tree>()({ kind: "recursive" });
defineJob<{ value: JsonValue; exact: ExactJsonNumber }>()({ kind: "json.values" });

// @ts-expect-error the schema does not accept the declared input
defineJob<{ at: number }>()({ kind: "fixed.wrong", schema: z.object({ at: z.string() }) });
// @ts-expect-error a Date is not JSON
defineJob<{ at: Date }>()({ kind: "fixed.date" });
// @ts-expect-error a bigint is not JSON
defineJob<{ id: bigint }>()({ kind: "fixed.bigint" });
// @ts-expect-error an array at the top
defineJob<string[]>()({ kind: "fixed.array" });
// @ts-expect-error a class with methods
defineJob<{ when: Temporal.Instant }>()({ kind: "fixed.instant" });

// What the errors say.
true satisfies Equal<
  CheckedJobInput<{ name: string; at: Date }>,
  JobDefinitionTypeError<"job arguments must be JSON, and property 'at' is not: a Date is not JSON: use a string such as date.toISOString()">
>;
true satisfies Equal<
  CheckedJobInput<string[]>,
  JobDefinitionTypeError<"job arguments must be an object at the top, not an array or a primitive">
>;
true satisfies Equal<
  CheckedJobInput<{ list: { id: bigint }[] }>,
  JobDefinitionTypeError<"job arguments must be JSON, and property 'list' is not: something inside of it cannot be stored">
>;

// JsonCompatible leaves JSON alone.
true satisfies Equal<JsonCompatible<{ a: string; b: number[] }>, { a: string; b: number[] }>;
true satisfies Equal<JsonCompatible<JsonValue>, JsonValue>;
declare const mail: Mail;
const sameMail: JsonCompatible<Mail> = mail;
void sameMail;

// The bare type accepts every definition, and each parameter has a default.
const all: JobDefinition[] = [
  zodJob,
  valibotJob,
  arkJob,
  decoded,
  decodedRich,
  unchecked,
  fixed,
  fixedSchema,
  fixedDecoder,
];
void all;
declare function generic<D extends JobDefinition = JobDefinition>(definition: D, input: JobDefinitionInput<D>): Job<D>;
const job = generic(zodJob, { at: "2026-01-01" });
true satisfies Equal<(typeof job)["args"], { at: Date }>;
true satisfies Equal<(typeof job)["rawArgs"], JsonObject>;
// @ts-expect-error producers pass the input, not the output
generic(zodJob, { at: new Date() });
true satisfies Equal<JobDefinition<Mail>, JobDefinition<Mail, Mail>>;
// @ts-expect-error only defineJob makes definitions
const forged: JobDefinition = { kind: "forged", kindAliases: [], defaults: {}, deleteOnComplete: false };
void forged;
