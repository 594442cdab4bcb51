/**
 * What the configuration of a Worker binds, as far as this package uses it. The types that Cloudflare publishes fit, and so
 * do those that `wrangler types` writes; neither is needed.
 */

/** A prepared statement of D1. */
export interface D1StatementBinding {
  bind(...values: (number | string | null)[]): D1StatementBinding;
}

/** A D1 database. */
export interface D1Binding {
  prepare(query: string): D1StatementBinding;
  /** Takes effect as a whole or not at all. */
  batch(statements: D1StatementBinding[]): Promise<{ readonly results?: unknown[] }[]>;
}

/** A namespace of Workers KV. */
export interface KvBinding {
  get(key: string): Promise<string | null>;
  put(key: string, value: string, options?: { expirationTtl?: number }): Promise<void>;
  delete(key: string): Promise<void>;
  list(options: { prefix?: string | null; limit?: number; cursor?: string | null }): Promise<{
    readonly keys: readonly { readonly name: string }[];
    readonly list_complete: boolean;
    readonly cursor?: string;
  }>;
}

/** A message for {@link QueueBinding}. */
export interface QueueBindingMessage {
  body: unknown;
  contentType: "json";
  delaySeconds?: number;
}

/** The producer's side of a queue. */
export interface QueueBinding {
  sendBatch(messages: QueueBindingMessage[]): Promise<unknown>;
}

/** What {@link createCloudflareHome} looks for in the environment, by these names. */
export interface CloudflareBindings {
  readonly ASYNC_POLICY_TASK_QUEUE: QueueBinding;
  readonly ASYNC_LOGGER_QUEUE: QueueBinding;
  readonly ANALYTICS_QUEUE: QueueBinding;
  /** Actual names of the three queues: what the consumers of the configuration have as `queue`. */
  readonly ASYNC_POLICY_TASK_QUEUE_NAME: string;
  readonly ASYNC_LOGGER_QUEUE_NAME: string;
  readonly ANALYTICS_QUEUE_NAME: string;
  /** Events, commands, alerts and actions of operators. */
  readonly REACTION_DB: D1Binding;
  /** Analytics events and salts. May be the same database. */
  readonly ANALYTICS_DB: D1Binding;
  /** Log entries and review marks. */
  readonly REACTION_KV: KvBinding;
}
