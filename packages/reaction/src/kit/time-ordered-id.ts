/** Identifiers that sort by the time they were made: UUIDs of version 7. */
import { hex } from "./hex.ts";

/** A new UUID of version 7 for `at`. Those of one millisecond are in no order. */
export function timeOrderedId(at: Date): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const ms = at.getTime();
  for (let index = 0; index < 6; index++) bytes[index] = Math.floor(ms / 2 ** (8 * (5 - index))) & 0xff;
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const digits = hex(bytes);
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}
