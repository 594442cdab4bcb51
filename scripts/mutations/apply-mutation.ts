// Changes one place of a source text.

/** A place, and what is to stand there instead. */
export interface Change {
  /** Text that the source has exactly once. */
  readonly from: string;
  readonly to: string;
}

/**
 * The text with the change.
 *
 * @throws Error when the place is not there exactly once, or the change is none.
 */
export function applyMutation(text: string, { from, to }: Change): string {
  const places = text.split(from).length - 1;
  if (places !== 1) throw new Error(`found ${places} times instead of once: ${JSON.stringify(from)}`);
  if (from === to) throw new Error(`changes nothing: ${JSON.stringify(from)}`);
  return text.replace(from, () => to);
}
