/** Makes job definitions. */
import type { JsonObject } from "../json/json-value.ts";
import type { ArgsCheck } from "./definition-plan.ts";
import { registerDefinition } from "./definition-plan.ts";
import { InsertFaults } from "./insert-faults.ts";
import type { JobDefinition } from "./job-definition.ts";
import type {
  DecoderJobDefinitionConfig,
  SchemaJobDefinitionConfig,
  UncheckedJobDefinitionConfig,
} from "./job-definition-config.ts";
import { isJobKind, JOB_KIND_EXPECTATION } from "./job-kind.ts";
import type { CheckedJobInput, JobDefinitionTypeError } from "./json-compatible.ts";
import { readInsertOptions } from "./read-insert-options.ts";
import type { StandardSchemaInput, StandardSchemaOutput, StandardSchemaV1 } from "./standard-schema.ts";
import { isUniqueWhenCompletedByDefault } from "./unique-options.ts";

const KNOWN = ["kind", "kindAliases", "defaults", "deleteOnComplete", "schema", "decode"] as const;

/**
 * What producers pass for a definition with a decoder and no declared input: what the decoder returns where that is a
 * JSON object, otherwise any JSON object.
 */
export type DecodedJobInput<Args> =
  unknown extends CheckedJobInput<Args> ? (unknown extends Args ? JsonObject : Args) : JsonObject;

/** Demands a schema whose input is JSON. */
type JsonSchema<Schema extends StandardSchemaV1> = { readonly schema: CheckedJobInput<StandardSchemaInput<Schema>> };

/** Demands a schema that accepts `Input`. */
type SchemaFor<Input, Schema extends StandardSchemaV1> = {
  readonly schema: [Input] extends [StandardSchemaInput<Schema>]
    ? unknown
    : JobDefinitionTypeError<"the schema does not accept the declared input type">;
};

/** `defineJob` after `defineJob<Input>()`: the producer type is fixed, the rest follows from the configuration. */
export interface DefineJobWithInput<Input> {
  <const Kind extends string>(config: UncheckedJobDefinitionConfig<Kind>): JobDefinition<Input, Input, Kind>;
  <const Kind extends string, Args>(config: DecoderJobDefinitionConfig<Kind, Args>): JobDefinition<Input, Args, Kind>;
  <const Kind extends string, Schema extends StandardSchemaV1>(
    config: SchemaJobDefinitionConfig<Kind, Schema> & SchemaFor<Input, Schema>,
  ): JobDefinition<Input, StandardSchemaOutput<Schema>, Kind>;
}

/**
 * Defines a kind of job.
 *
 * - `schema`: any Standard Schema v1 validator. Producers pass its input type, workers get its output type.
 * - `decode`: a function from the stored JSON to what workers get.
 * - neither: any JSON object.
 *
 * What is stored is exactly what the producer passed. Arguments are checked when they are inserted and again before they
 * are worked. `defineJob<Input>()(config)` fixes the producer type first.
 *
 * @throws ConfigurationError for a bad kind, unknown keys, bad defaults, or `deleteOnComplete` together with defaults
 *   that hold a unique key of completed jobs.
 */
export function defineJob<Input = JsonObject>(): unknown extends CheckedJobInput<Input>
  ? DefineJobWithInput<Input>
  : CheckedJobInput<Input>;
// The compiler reports what the last overload objects to, and a schema is what most can be wrong about.
export function defineJob<const Kind extends string>(
  config: UncheckedJobDefinitionConfig<Kind>,
): JobDefinition<JsonObject, JsonObject, Kind>;
export function defineJob<const Kind extends string, Args>(
  config: DecoderJobDefinitionConfig<Kind, Args>,
): JobDefinition<DecodedJobInput<Args>, Args, Kind>;
export function defineJob<const Kind extends string, Schema extends StandardSchemaV1>(
  config: SchemaJobDefinitionConfig<Kind, Schema> & JsonSchema<Schema>,
): JobDefinition<StandardSchemaInput<Schema>, StandardSchemaOutput<Schema>, Kind>;
export function defineJob(...given: unknown[]): unknown {
  return given.length === 0 ? makeDefinition : makeDefinition(given[0]);
}

function makeDefinition(config: unknown): JobDefinition {
  const faults = new InsertFaults();
  const problems = faults.options;
  const given = problems.object(config, "", KNOWN);
  const kind = given.kind;
  if (!isJobKind(kind)) problems.add("kind", JOB_KIND_EXPECTATION);
  const definition = {
    kind,
    kindAliases: readAliases(faults, given.kindAliases, kind),
    defaults: readInsertOptions(faults, given.defaults, "defaults"),
    deleteOnComplete: given.deleteOnComplete === undefined ? false : given.deleteOnComplete,
  };
  if (typeof definition.deleteOnComplete !== "boolean") problems.add("deleteOnComplete", "must be true or false");
  if (definition.deleteOnComplete === true && isUniqueWhenCompletedByDefault(definition.defaults.unique)) {
    problems.add("deleteOnComplete", "frees unique keys at completion: write out defaults.unique.byState");
  }
  const check = readArgsCheck(faults, given);
  faults.throwConfiguration();
  registerDefinition(Object.freeze(definition), check);
  return definition as unknown as JobDefinition;
}

function readAliases(faults: InsertFaults, value: unknown, kind: unknown): readonly string[] {
  if (value === undefined) return Object.freeze([]);
  if (!Array.isArray(value)) {
    faults.options.add("kindAliases", "must be a list of job kinds");
    return [];
  }
  const aliases: unknown[] = Array.from(value);
  aliases.forEach((alias, index) => {
    const path = `kindAliases[${index}]`;
    if (!isJobKind(alias)) faults.options.add(path, JOB_KIND_EXPECTATION);
    else if (alias === kind || aliases.indexOf(alias) !== index) faults.options.add(path, "must not repeat a kind");
  });
  return Object.freeze(aliases as string[]);
}

function readArgsCheck(faults: InsertFaults, { schema, decode }: Record<string, unknown>): ArgsCheck {
  if (schema !== undefined && decode !== undefined) {
    faults.options.add("decode", "cannot be given together with schema");
  } else if (schema !== undefined) {
    if (isStandardSchema(schema)) return { form: "schema", schema };
    faults.options.add("schema", "must be a Standard Schema v1 validator, such as one of Zod, Valibot or ArkType");
  } else if (decode !== undefined) {
    if (typeof decode === "function") return { form: "decoder", decode: decode as (value: JsonObject) => unknown };
    faults.options.add("decode", "must be a function");
  }
  return { form: "unchecked" };
}

/** Some libraries make their schemas callable. */
function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  const standard: unknown = "~standard" in value ? value["~standard"] : undefined;
  if (typeof standard !== "object" || standard === null) return false;
  return (
    "version" in standard && standard.version === 1 && "validate" in standard && typeof standard.validate === "function"
  );
}
