/** Text that every database and queue takes: no NUL, no half of a surrogate pair, and no more than `longest` code units. */
export function storableText(text: string, longest: number = Infinity): string {
  return text.slice(0, longest).replaceAll("\0", "\uFFFD").toWellFormed();
}
