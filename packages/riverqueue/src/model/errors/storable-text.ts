/** Text that every backend stores inside JSON, whatever it came from. */

/**
 * Cuts `text` to `limit` UTF-16 code units and replaces by U+FFFD what Postgres refuses: NUL, and halves of surrogate
 * pairs, one left by the cut included. No mark is added, so the result is never longer than `limit`.
 */
export function storableText(text: string, limit: number): string {
  return text.slice(0, limit).toWellFormed().replaceAll("\0", "\uFFFD");
}
