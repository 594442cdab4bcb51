/** Log entries and review marks in Workers KV, which deletes by itself what has expired. */
import type { KeyValueListOptions, KeyValuePage, KeyValueStore } from "@riverqueue/reaction";
import type { KvBinding } from "./bindings.ts";

/** The shortest time that KV keeps something that expires. */
const SHORTEST_EXPIRY_SECONDS = 60;

/** See the file header. Reads lag behind writes, by up to a minute elsewhere in the world. */
export class KvKeyValueStore implements KeyValueStore {
  readonly #namespace: KvBinding;

  constructor(namespace: KvBinding) {
    this.#namespace = namespace;
  }

  get(key: string): Promise<string | null> {
    return this.#namespace.get(key);
  }

  put(
    key: string,
    value: string,
    { expiresInSeconds }: { readonly expiresInSeconds?: number | undefined } = {},
  ): Promise<void> {
    if (expiresInSeconds === undefined) return this.#namespace.put(key, value);
    return this.#namespace.put(key, value, { expirationTtl: Math.max(SHORTEST_EXPIRY_SECONDS, expiresInSeconds) });
  }

  delete(key: string): Promise<void> {
    return this.#namespace.delete(key);
  }

  /** Lists from the prefix on: KV cannot begin at a key. Values have to be read one by one. */
  async list({ prefix, limit, cursor }: KeyValueListOptions): Promise<KeyValuePage> {
    const page = await this.#namespace.list({ prefix, limit, ...(cursor !== undefined && { cursor }) });
    const entries = page.keys.map(({ name }) => ({ key: name }));
    return { entries, cursor: page.list_complete ? null : (page.cursor ?? null) };
  }

  deleteExpired(): Promise<number> {
    return Promise.resolve(0);
  }
}
