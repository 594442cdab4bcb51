/** Resolved, checked settings of a runtime. Times are milliseconds; null means without limit. */

/** Capacity and pacing of one queue, resolved. */
export interface QueueSettings {
  readonly maxWorkers: number;
  readonly fetchCooldownMs: number;
  readonly pollIntervalMs: number;
}

/** How completions are batched. */
export interface CompletionSettings {
  /** Rows per statement at most. */
  readonly batchSize: number;
  /** Longest wait of a part-filled batch; 0 flushes at once. */
  readonly flushIntervalMs: number;
}

/** Everything the runtime rooms are told. */
export interface RuntimeSettings {
  readonly clientId: string;
  readonly queues: ReadonlyMap<string, QueueSettings>;
  /** Default cool-down of queues added later. */
  readonly fetchCooldownMs: number;
  readonly pollOnly: boolean;
  /** Claim only kinds that have a worker when the client starts. */
  readonly fetchOnlyKnownKinds: boolean;
  readonly leaderElectionDisabled: boolean;
  readonly completion: CompletionSettings;
  readonly queueControlPollIntervalMs: number;
  readonly queueHeartbeatIntervalMs: number;
}
