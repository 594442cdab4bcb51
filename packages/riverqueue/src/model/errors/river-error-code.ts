/** The closed set of codes that River's errors carry, one a kind of failure. */

const CODES = {
  backendMismatch: "backend_mismatch",
  configuration: "configuration",
  database: "database",
  extension: "extension",
  jobAborted: "job_aborted",
  jobAttemptFinished: "job_attempt_finished",
  jobCancelled: "job_cancelled",
  jobRunning: "job_running",
  jobStuck: "job_stuck",
  jobTimeout: "job_timeout",
  lifecycle: "lifecycle",
  migration: "migration",
  payloadValidation: "payload_validation",
  subscriptionLag: "subscription_lag",
  transactionScope: "transaction_scope",
  /** @addition */
  uniqueConflict: "unique_conflict",
  unknownJobKind: "unknown_job_kind",
  unsupportedCapability: "unsupported_capability",
  validation: "validation",
} as const;

/** Codes by camel-case name. Compare `error.code` with these instead of reading messages. */
export const RIVER_ERROR_CODE: Readonly<typeof CODES> = Object.freeze(CODES);

/** Any code of {@link RIVER_ERROR_CODE}. */
export type RiverErrorCode = (typeof RIVER_ERROR_CODE)[keyof typeof RIVER_ERROR_CODE];
