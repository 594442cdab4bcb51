/** A record for tests that need no database. */
import type { JobRecord } from "../../../src/model/job-record.ts";

/** A running job's record with some columns replaced. */
export function sampleRecord(columns: Partial<JobRecord> = {}): JobRecord {
  return {
    id: 7n,
    kind: "resize",
    queue: "default",
    state: "running",
    priority: 1,
    attempt: 2,
    maxAttempts: 25,
    args: '{"path":"a.png","bytes":9007199254740993}',
    metadata: '{"snoozes":1,"owner":{"id":1}}',
    errors: '[{"at":"2024-05-01T12:34:56.123456789Z","attempt":1,"error":"boom","trace":""}]',
    tags: ["one", "two"],
    attemptedBy: ["client"],
    createdAt: Temporal.Instant.from("2024-05-01T12:00:00.123456Z"),
    scheduledAt: Temporal.Instant.from("2024-05-01T12:30:00Z"),
    attemptedAt: Temporal.Instant.from("2024-05-01T12:34:56.5Z"),
    finalizedAt: null,
    uniqueKey: new Uint8Array(32).fill(255),
    uniqueStates: 245,
    ...columns,
  };
}
