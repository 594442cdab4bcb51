/** Carries out the insertions of handlers, with the definitions that the application has allowed. */
import { ConfigurationError, type InsertManyItem, type JobDefinition, jobToJsonValue, parseJson } from "riverqueue";
import { encodePersisted } from "../crossing/encode-args.ts";
import { decodeInsertOptions } from "../crossing/insert-options.ts";
import type { PoolPolicy } from "../pool/pool-policy.ts";
import type { InsertCall } from "../protocol/messages.ts";

/** Makes what a pool's policy inserts with. */
export function insertForThreads(definitions: readonly JobDefinition[]): NonNullable<PoolPolicy["insert"]> {
  const byKind = new Map(definitions.map((definition) => [definition.kind, definition]));
  const itemOf = ({ kind, argsForm, args, options }: InsertCall): InsertManyItem => {
    const job = byKind.get(kind);
    if (job === undefined) {
      throw new ConfigurationError(
        `handlers may not insert jobs of kind ${JSON.stringify(kind)}: it is not among inserts`,
      );
    }
    return {
      job,
      args: (argsForm === "json" ? parseJson(args as string) : args) as object,
      options: options === null ? undefined : decodeInsertOptions(options),
    };
  };
  return async ({ context }, calls) => {
    const results = await context.client.insertMany(calls.map(itemOf));
    return encodePersisted(results.map(({ status, job }) => ({ status, job: jobToJsonValue(job) })));
  };
}
