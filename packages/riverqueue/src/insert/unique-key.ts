/** Unique keys: SHA-256 of a text that every River client builds alike. */
import { createHash } from "node:crypto";
import { durationNanoseconds } from "../definition/duration-nanoseconds.ts";
import type { NormalizedUniqueOptions } from "../definition/unique-options.ts";
import { fragmentOfAllArgs, fragmentOfPaths } from "./args-fragment.ts";
import { periodBound } from "./period-bound.ts";

/** What a key is made of. */
export interface UniqueKeySource {
  readonly kind: string;
  readonly queue: string;
  /** JSON text exactly as it is stored. */
  readonly encodedArgs: string;
  /** When the job is to run, or when it is inserted. */
  readonly scheduledAt: Temporal.Instant;
}

/** The text behind a key. Nothing in it is escaped. */
export function uniqueKeyText(source: UniqueKeySource, unique: NormalizedUniqueOptions): string {
  const { byArgs, byPeriod, byQueue, excludeKind } = unique;
  let text = excludeKind ? "" : `&kind=${source.kind}`;
  if (byArgs === true) text += `&args=${fragmentOfAllArgs(source.encodedArgs)}`;
  else if (byArgs !== false) text += `&args=${fragmentOfPaths(source.encodedArgs, byArgs)}`;
  if (byPeriod !== null) text += `&period=${periodBound(source.scheduledAt, durationNanoseconds(byPeriod))}`;
  if (byQueue) text += `&queue=${source.queue}`;
  return text;
}

/** The key itself, 32 bytes. */
export function uniqueKey(source: UniqueKeySource, unique: NormalizedUniqueOptions): Uint8Array {
  // No Buffer, so that the job of an insertion equals the one that is read later.
  return new Uint8Array(createHash("sha256").update(uniqueKeyText(source, unique), "utf8").digest());
}
