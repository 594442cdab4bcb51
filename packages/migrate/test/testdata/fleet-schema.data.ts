/** What the line `fleet` adds to a database. */
import type { PostgresSchemaDescription } from "./describe-postgres-schema.ts";
import type { SchemaDescription } from "./describe-sqlite-schema.ts";

/** On SQLite. */
export const SQLITE_FLEET: SchemaDescription = {
  river_fleet_audit: [
    "id integer, not null, key 1",
    "created_at timestamp, not null, default strftime ( '%Y-%m-%d %H:%M:%f' , 'now' )",
    "client_id text",
    "actor text",
    "action text, not null",
    "subject text",
    "details blob, not null, default jsonb ( '{}' )",
    "check action_length: length ( action ) > 0 and length ( action ) < 128",
    "index river_fleet_audit_created_at_index (created_at)"
  ],
  river_fleet_client: [
    "client_id text, not null, key 1",
    "host text, not null",
    "process_id integer, not null",
    "version text",
    "runtime text, not null",
    "state text, not null",
    "queues blob, not null, default jsonb ( '{}' )",
    "running integer, not null, default 0",
    "loop_delay_max_ms real",
    "loop_delay_mean_ms real",
    "loop_delay_p99_ms real",
    "executors blob, not null, default jsonb ( '{}' )",
    "started_at timestamp, not null",
    "seen_at timestamp, not null, default strftime ( '%Y-%m-%d %H:%M:%f' , 'now' )",
    "check client_id_length: length ( client_id ) > 0 and length ( client_id ) < 128",
    "check running_zero_or_positive: running >= 0",
    "index sqlite_autoindex_river_fleet_client_1 (client_id), unique, implied"
  ],
  river_fleet_minute: [
    "minute timestamp, not null, key 1",
    "queue text, not null, key 2",
    "kind text, not null, key 3",
    "inserted integer, not null, default 0",
    "completed integer, not null, default 0",
    "failed integer, not null, default 0",
    "latency_10ms integer, not null, default 0",
    "latency_50ms integer, not null, default 0",
    "latency_100ms integer, not null, default 0",
    "latency_500ms integer, not null, default 0",
    "latency_1s integer, not null, default 0",
    "latency_5s integer, not null, default 0",
    "latency_15s integer, not null, default 0",
    "latency_1m integer, not null, default 0",
    "latency_5m integer, not null, default 0",
    "latency_1h integer, not null, default 0",
    "latency_more integer, not null, default 0",
    "index sqlite_autoindex_river_fleet_minute_1 (minute, queue, kind), unique, implied"
  ],
  river_fleet_queue_latency: []
};

/** On Postgres. */
export const POSTGRES_FLEET: PostgresSchemaDescription = {
  "sequence river_fleet_audit_id_seq": [],
  "table river_fleet_audit": [
    "column id bigint, not null, default nextval('river_fleet_audit_id_seq'::regclass)",
    "column created_at timestamp with time zone, not null, default now()",
    "column client_id text",
    "column actor text",
    "column action text, not null",
    "column subject text",
    "column details jsonb, not null, default '{}'::jsonb",
    "constraint action_length: CHECK (char_length(action) > 0 AND char_length(action) < 128)",
    "constraint river_fleet_audit_pkey: PRIMARY KEY (id)",
    "index river_fleet_audit_created_at_index: btree (created_at)",
    "index river_fleet_audit_pkey: unique btree (id)"
  ],
  "table river_fleet_client": [
    "column client_id text, not null",
    "column host text, not null",
    "column process_id integer, not null",
    "column version text",
    "column runtime text, not null",
    "column state text, not null",
    "column queues jsonb, not null, default '{}'::jsonb",
    "column running integer, not null, default 0",
    "column loop_delay_max_ms double precision",
    "column loop_delay_mean_ms double precision",
    "column loop_delay_p99_ms double precision",
    "column executors jsonb, not null, default '{}'::jsonb",
    "column started_at timestamp with time zone, not null",
    "column seen_at timestamp with time zone, not null, default now()",
    "constraint client_id_length: CHECK (char_length(client_id) > 0 AND char_length(client_id) < 128)",
    "constraint river_fleet_client_pkey: PRIMARY KEY (client_id)",
    "constraint running_zero_or_positive: CHECK (running >= 0)",
    "index river_fleet_client_pkey: unique btree (client_id)"
  ],
  "table river_fleet_minute": [
    "column minute timestamp with time zone, not null",
    "column queue text, not null",
    "column kind text, not null",
    "column inserted bigint, not null, default 0",
    "column completed bigint, not null, default 0",
    "column failed bigint, not null, default 0",
    "column latency_10ms bigint, not null, default 0",
    "column latency_50ms bigint, not null, default 0",
    "column latency_100ms bigint, not null, default 0",
    "column latency_500ms bigint, not null, default 0",
    "column latency_1s bigint, not null, default 0",
    "column latency_5s bigint, not null, default 0",
    "column latency_15s bigint, not null, default 0",
    "column latency_1m bigint, not null, default 0",
    "column latency_5m bigint, not null, default 0",
    "column latency_1h bigint, not null, default 0",
    "column latency_more bigint, not null, default 0",
    "constraint river_fleet_minute_pkey: PRIMARY KEY (minute, queue, kind)",
    "index river_fleet_minute_pkey: unique btree (minute, queue, kind)"
  ],
  "view river_fleet_queue_latency": [
    "column queue text",
    "column started bigint",
    "column p50_ms integer",
    "column p95_ms integer",
    "column p99_ms integer"
  ]
};
