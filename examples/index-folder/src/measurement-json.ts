// A measurement as JSON, which is what a handler can hand out of its thread.
import type { JsonObject, JsonValue } from "riverqueue";
import type { Measurement } from "./measure-file.ts";

/** What a handler returns; null when there was no file any more. */
export function measurementToJson(measured: Measurement | null): JsonObject | null {
  return measured === null ? null : { ...measured, size: String(measured.size) };
}

/** The way back. */
export function measurementFromJson(json: JsonValue | undefined): Measurement | null {
  if (!json) return null;
  const { size, ...measured } = json as unknown as Omit<Measurement, "size"> & { readonly size: string };
  return { ...measured, size: BigInt(size) };
}
