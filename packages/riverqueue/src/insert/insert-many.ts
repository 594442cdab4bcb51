/** Types of inserting several jobs of different kinds in one call. */
import type { JobDefinition, JobDefinitionInput } from "../definition/job-definition.ts";
import type { InsertOptions } from "../definition/insert-options.ts";
import type { InsertResult } from "./insert-result.ts";

/** One job of `insertMany`. For the bare definition any object will do; it is checked when it is inserted. */
export interface InsertManyItem<Definition extends JobDefinition = JobDefinition> {
  readonly job: Definition;
  readonly args: JobDefinition extends Definition ? object : JobDefinitionInput<Definition>;
  readonly options?: InsertOptions | undefined;
}

/** `Items` if the arguments of each fit its own definition; otherwise what they would have to be. */
export type CheckedInsertManyItems<Items extends readonly InsertManyItem[]> =
  Items extends FittingItems<Items> ? Items : FittingItems<Items>;

type FittingItems<Items extends readonly InsertManyItem[]> = {
  readonly [Index in keyof Items]: Items[Index] extends { readonly job: infer Definition extends JobDefinition }
    ? InsertManyItem<Definition>
    : never;
};

/** One result for each of `Items`, in their order. */
export type InsertManyResults<Items extends readonly InsertManyItem[]> = {
  -readonly [Index in keyof Items]: Items[Index] extends { readonly job: infer Definition extends JobDefinition }
    ? InsertResult<JobDefinitionInput<Definition>>
    : never;
};
