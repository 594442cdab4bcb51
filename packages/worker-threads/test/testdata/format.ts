/** What a handler imports by its compiled name; there is only this source. */
export function shout(text: string): string {
  return `${text.toUpperCase()}!`;
}
