/**
 * `riverqueue/driver`: the seam that drivers implement. Not for applications: names here may change between minor
 * versions, together with the drivers of the same version.
 */
export type * from "./call.ts";
export type * from "./change-job.ts";
export * from "./claim-around.ts";
export type * from "./claim-jobs.ts";
export * from "./delete-around.ts";
export type * from "./driver.ts";
export type * from "./extension-facet.ts";
export type * from "./indexes-facet.ts";
export type * from "./insert-jobs.ts";
export type * from "./inspect-facet.ts";
export type * from "./jobs-facet.ts";
export type * from "./leader-facet.ts";
export type * from "./maintain-jobs.ts";
export type * from "./migration-facet.ts";
export * from "./notice.ts";
export * from "./narrow-down.ts";
export * from "./plan-promotion.ts";
export type * from "./refusals.ts";
export type * from "./notices-facet.ts";
export type * from "./queues-facet.ts";
export type * from "./select-jobs.ts";
export type * from "./settle-jobs.ts";
export type * from "./traits.ts";
export type * from "../model/job-record.ts";
export type { QueueRecord } from "../model/queue-row.ts";
export type { LeaderTerm } from "../model/leader-term.ts";
export * from "../model/job-state.ts";
export { ATTEMPTED_BY_LIMIT } from "../model/defaults.ts";
export { DatabaseOperationError } from "../model/errors/database-operation-error.ts";
export { ConfigurationError } from "../model/errors/configuration-error.ts";
export { BackendMismatchError } from "../model/errors/backend-mismatch-error.ts";
export { LifecycleError } from "../model/errors/lifecycle-error.ts";
export { MigrationError } from "../model/errors/migration-error.ts";
export { TransactionScopeError } from "../model/errors/transaction-scope-error.ts";
export { ValidationError } from "../model/errors/validation-error.ts";
export { OptionProblems, type OptionProblem } from "../options/option-problems.ts";
export { readDuration, type DurationBounds, type DurationInput } from "../options/duration-input.ts";
export { databaseCause } from "../model/errors/database-cause.ts";
