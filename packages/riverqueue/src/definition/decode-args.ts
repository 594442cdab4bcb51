/** Checks stored arguments against their definition, at insertion and again before work. */
import { formatJsonPath } from "../json/json-path.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { PayloadValidationPhase } from "../model/errors/payload-validation-error.ts";
import { PayloadValidationError } from "../model/errors/payload-validation-error.ts";
import { argsCheckOf } from "./definition-plan.ts";
import type { JobDefinition, JobDefinitionArgs } from "./job-definition.ts";
import type { StandardSchemaIssue, StandardSchemaResult } from "./standard-schema.ts";

/**
 * What workers of `definition` get for `rawArgs`: the arguments themselves, or a promise of them where schema or decoder
 * is asynchronous.
 *
 * @param subject - names the arguments in messages
 * @throws PayloadValidationError, directly or by rejecting, when schema or decoder refuses them. The message names the
 *   paths that a schema objects to, and never a value; what a decoder threw is the cause.
 */
export function decodeArgs<Definition extends JobDefinition>(
  definition: Definition,
  rawArgs: JsonObject,
  phase: PayloadValidationPhase,
  subject: string = "args",
): JobDefinitionArgs<Definition> | Promise<JobDefinitionArgs<Definition>> {
  const check = argsCheckOf(definition);
  const refusal = new Refusal(definition.kind, phase, subject);
  const decoded: unknown =
    check.form === "unchecked"
      ? rawArgs
      : check.form === "decoder"
        ? settle(
            () => check.decode(rawArgs),
            (args) => args,
            refusal,
          )
        : settle(
            () => check.schema["~standard"].validate(rawArgs),
            (result) => refusal.valueOf(result),
            refusal,
          );
  return decoded as JobDefinitionArgs<Definition> | Promise<JobDefinitionArgs<Definition>>;
}

/** Runs code of the application that may throw or be asynchronous, and hands its result on. */
function settle<Raw>(run: () => PromiseLike<Raw> | Raw, read: (raw: Raw) => unknown, refusal: Refusal): unknown {
  let raw: PromiseLike<Raw> | Raw;
  try {
    raw = run();
  } catch (error) {
    throw refusal.thrown(error);
  }
  if (!isPromiseLike(raw)) return read(raw);
  const failed = (error: unknown): never => {
    throw refusal.thrown(error);
  };
  return Promise.resolve(raw).then(read, failed);
}

function isPromiseLike<T>(value: PromiseLike<T> | T): value is PromiseLike<T> {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    "then" in value &&
    typeof value.then === "function"
  );
}

/** Makes the errors of one check. */
class Refusal {
  readonly #kind: string;
  readonly #phase: PayloadValidationPhase;
  readonly #subject: string;

  constructor(kind: string, phase: PayloadValidationPhase, subject: string) {
    this.#kind = kind;
    this.#phase = phase;
    this.#subject = subject;
  }

  /** The value a schema made, unless it found issues. */
  valueOf(result: StandardSchemaResult<unknown>): unknown {
    if (typeof result !== "object" || result === null) throw this.#error(`${this.#schema} did not answer as agreed`);
    if (result.issues === undefined) return result.value;
    const paths = [...new Set(result.issues.map(issuePath))];
    throw this.#error(`${this.#schema} at ${paths.join(", ")}`, { details: { paths: Object.freeze(paths) } });
  }

  thrown(cause: unknown): PayloadValidationError {
    return this.#error(`do not pass the check of job kind "${this.#kind}", which threw`, { cause });
  }

  get #schema(): string {
    return `do not pass the schema of job kind "${this.#kind}"`;
  }

  #error(
    problem: string,
    options?: { readonly cause?: unknown; readonly details?: Readonly<Record<string, unknown>> },
  ): PayloadValidationError {
    return new PayloadValidationError(this.#kind, this.#phase, `${this.#subject} ${problem}`, options);
  }
}

function issuePath(issue: StandardSchemaIssue): string {
  const segments = (issue.path ?? []).map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment;
    return typeof key === "symbol" ? key.toString() : key;
  });
  return formatJsonPath(segments);
}
