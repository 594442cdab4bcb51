/**
 * Finds the members of an object in JSON text without decoding their values, because a unique key covers the exact bytes.
 * The text is well formed and has no white space between tokens, as River's encoder writes it.
 */

/** One member of an object. */
export interface RawJsonMember {
  /** Decoded. */
  readonly key: string;
  /** The value as it stands in the text. */
  readonly value: string;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** The members of `text` in order, repeats included; null when it is not an object. */
export function rawJsonMembers(text: string): RawJsonMember[] | null {
  if (text.charCodeAt(0) !== OPEN_BRACE) return null;
  const members: RawJsonMember[] = [];
  let position = 1;
  while (text.charCodeAt(position) === QUOTE) {
    const keyEnd = stringEnd(text, position);
    const valueStart = keyEnd + 1;
    const end = valueEnd(text, valueStart);
    members.push({ key: decodeKey(text.slice(position, keyEnd)), value: text.slice(valueStart, end) });
    position = end + 1;
  }
  return members;
}

function decodeKey(token: string): string {
  return token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
}

/** Position after the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, position: number): boolean {
  let before = position;
  while (text.charCodeAt(before - 1) === BACKSLASH) before--;
  return (position - before) % 2 === 1;
}

/** Position after the value that begins at `start`. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  let position = start;
  while (position < text.length) {
    switch (text.charCodeAt(position)) {
      case QUOTE:
        position = stringEnd(text, position);
        if (depth === 0) return position;
        continue;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth <= 1) return depth === 0 ? position : position + 1;
        depth--;
        break;
      case COMMA:
        if (depth === 0) return position;
        break;
      default:
    }
    position++;
  }
  return position;
}
