/** What goes over the protocol of peers. Both programs speak it, so that one test can put either on either side. */
import type { JobRowJson, JsonObject, JsonValue } from "riverqueue";

/** Whose program a peer is. */
export type PeerSide = "go" | "ours";

/** A kind of database. */
export type Backend = "postgres" | "sqlite";

/** Every kind, for tables of tests. */
export const BACKENDS: readonly Backend[] = ["postgres", "sqlite"];

/** Who acts and who answers: every facet is judged both ways. */
export const DIRECTIONS: readonly (readonly [from: PeerSide, to: PeerSide])[] = [
  ["ours", "go"],
  ["go", "ours"],
];

/** A job to insert. */
export interface PeerJobSpec {
  readonly kind: string;
  /** Name of a Go type with declared unique fields to make the arguments of; our side is given `byArgs` paths instead. */
  readonly tagged?: string;
  readonly args?: JsonObject;
  readonly maxAttempts?: number;
  readonly metadata?: JsonObject;
  readonly pending?: boolean;
  readonly priority?: number;
  readonly queue?: string;
  /** RFC 3339. */
  readonly scheduledAt?: string;
  readonly tags?: readonly string[];
  readonly unique?: UniqueSpec;
}

/** Unique options. A list of paths is for our side; Go is told to compare arguments and has the fields in the type. */
export interface UniqueSpec {
  readonly byArgs?: boolean | readonly string[];
  readonly byPeriodMs?: number;
  readonly byQueue?: boolean;
  readonly byState?: readonly JobRowJson["state"][];
  readonly excludeKind?: boolean;
}

/** Settings of a client; what is absent is the default of each side. */
export interface OpenSpec {
  readonly clientId?: string;
  /** Workers by queue; without queues the client only inserts. */
  readonly queues?: Readonly<Record<string, number>>;
  readonly kinds?: readonly string[];
  readonly fetchCooldownMs?: number;
  readonly pollIntervalMs?: number;
  readonly pollOnly?: boolean;
  /** How often our side reads pauses and cancellations; Go has its own pace. */
  readonly controlPollMs?: number;
  /** How often our rescuer runs, when it leads; Go has its own pace. */
  readonly rescuerIntervalMs?: number;
  readonly jobTimeoutMs?: number;
  readonly rescueAfterMs?: number;
  readonly completedRetentionMs?: number;
  readonly leaderElectionDisabled?: boolean;
  readonly fetchOnlyKnownKinds?: boolean;
  readonly periodic?: readonly PeriodicSpec[];
}

/** A periodic job, by an interval or a cron expression. */
export interface PeriodicSpec {
  readonly id: string;
  readonly everyMs?: number;
  readonly cron?: string;
  readonly zone?: string;
  readonly runOnStart?: boolean;
  readonly job: PeerJobSpec;
}

/** Filters and order of a list or a deletion. */
export interface ListSpec {
  readonly ids?: readonly number[];
  readonly kinds?: readonly string[];
  readonly priorities?: readonly number[];
  readonly queues?: readonly string[];
  readonly states?: readonly JobRowJson["state"][];
  readonly tagsAll?: readonly string[];
  readonly tagsAny?: readonly string[];
  /** JSON text. */
  readonly metadata?: string;
  readonly orderBy?: "finalized_at" | "id" | "scheduled_at" | "time";
  readonly descending?: boolean;
  readonly limit?: number;
  readonly after?: string;
}

/** A page of a list. */
export interface PeerPage {
  readonly jobs: readonly JobRowJson[];
  readonly nextCursor: string | null;
}

/** What an insertion answers. */
export interface PeerInserted {
  readonly job: JobRowJson;
  readonly duplicate: boolean;
}

/** A queue's row. */
export interface PeerQueue {
  readonly name: string;
  readonly metadata: JsonObject;
  readonly createdAt: string;
  readonly pausedAt: string | null;
  readonly updatedAt: string;
}

/** A line that nobody asked for: what a worker does (`work`, `waiting`, `aborted`, `step`) and what the client reports. */
export interface PeerEvent {
  readonly event: string;
  readonly jobId?: string;
  readonly attempt?: number;
  readonly kind?: string;
  readonly queue?: string;
  readonly state?: string;
  readonly detail?: JsonValue;
}
