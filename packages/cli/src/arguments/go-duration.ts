/** Durations as Go writes them, such as `1m30s` or `1.5s`: read from flags, and written for people. */

const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Milliseconds, with a fraction if need be; null for a text that is no such duration. */
export function parseGoDuration(text: string): number | null {
  if (text === "0") return 0;
  const parts = [...text.matchAll(PART)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return null;
  const nanoseconds = parts.reduce((sum, [, value, unit]) => sum + Number(value) * (NANOSECONDS[unit ?? ""] ?? 0), 0);
  return nanoseconds / 1e6;
}

/** `duration` cut to what is worth reading: 10 ms from a second on, 10 µs from a millisecond on, 10 ns below. */
export function formatGoDuration(duration: Temporal.Duration): string {
  const exact = duration.total("nanoseconds");
  const grain = exact >= 1e9 ? 1e7 : exact >= 1e6 ? 1e4 : 10;
  const total = Math.floor(exact / grain) * grain;
  if (total === 0) return "0s";
  if (total < 1e3) return `${total}ns`;
  if (total < 1e6) return `${total / 1e3}µs`;
  if (total < 1e9) return `${total / 1e6}ms`;
  const hours = Math.floor(total / 3600e9);
  const minutes = Math.floor(total / 60e9) % 60;
  const seconds = `${(total % 60e9) / 1e9}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
