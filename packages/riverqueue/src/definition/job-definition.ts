/** A job definition as producers and workers pass it around, and the types that follow from one. */
import type { JsonObject } from "../json/json-value.ts";
import type { JobRow } from "../model/job-row.ts";
import type { NormalizedInsertOptions } from "./insert-options.ts";

declare const jobTypes: unique symbol;

/**
 * One kind of job: what producers pass, what workers get. Made by `defineJob`, frozen. The bare `JobDefinition` accepts
 * every definition.
 *
 * @typeParam Input - what producers pass and what is stored; `unknown` stands for any JSON object
 * @typeParam Args - what workers get
 */
export interface JobDefinition<out Input = unknown, out Args = Input, out Kind extends string = string> {
  readonly kind: Kind;
  /** Further kinds that a worker of this definition works. */
  readonly kindAliases: readonly string[];
  /** Insert options of this kind. */
  readonly defaults: NormalizedInsertOptions;
  /**
   * Whether the row of a completed job is deleted instead of stored as `completed`.
   *
   * @addition
   */
  readonly deleteOnComplete: boolean;
  /** Exists for the compiler only. */
  readonly [jobTypes]: { readonly input: Input; readonly args: Args };
}

/** What producers pass for jobs of `Definition`. */
export type JobDefinitionInput<Definition extends JobDefinition> =
  Definition extends JobDefinition<infer Input, unknown> ? (unknown extends Input ? JsonObject : Input) : never;

/** What workers of `Definition` get as `job.args`. */
export type JobDefinitionArgs<Definition extends JobDefinition> =
  Definition extends JobDefinition<unknown, infer Args> ? Args : never;

/** A job as its worker sees it: decoded `args` beside the JSON that is stored. */
export interface Job<Definition extends JobDefinition = JobDefinition> extends JobRow<JobDefinitionArgs<Definition>> {
  readonly rawArgs: JsonObject;
}
