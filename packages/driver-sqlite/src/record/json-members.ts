/**
 * The members of a JSON object as text. Values are carried as the slices they are, so that numbers beyond the range of
 * JavaScript and repeated keys come out as they went in.
 */

/** One member: key as JSON text, value as JSON text. */
export interface JsonMember {
  readonly key: string;
  readonly value: string;
}

/** `stored` with the top-level members of `updates` in place of its own. Both are minified text of objects. */
export function mergeJsonObjects(stored: string, updates: string): string {
  const changes = membersOf(updates);
  const changed = new Set(changes.map(({ key }) => JSON.parse(key) as string));
  const kept = membersOf(stored).filter(({ key }) => !changed.has(JSON.parse(key) as string));
  return `{${[...kept, ...changes].map(({ key, value }) => `${key}:${value}`).join(",")}}`;
}

/** Splits the text of an object, which must be valid JSON, at its top level. */
export function membersOf(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  let position = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[position] === '"') {
    const keyEnd = endOfString(text, position);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    members.push({ key: text.slice(position, keyEnd), value: text.slice(valueStart, valueEnd).trimEnd() });
    position = skipSpace(text, valueEnd + 1);
  }
  return members;
}

function skipSpace(text: string, from: number): number {
  let position = from;
  while (position < text.length && text.charCodeAt(position) <= 0x20) position += 1;
  return position;
}

/** Position after the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let position = from + 1;
  while (position < text.length && text[position] !== '"') position += text[position] === "\\" ? 2 : 1;
  return position + 1;
}

/** Position of the comma or brace that ends the value which begins at `from`. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let position = from;
  while (position < text.length) {
    const character = text[position];
    if (character === '"') {
      position = endOfString(text, position);
      continue;
    }
    if (depth === 0 && (character === "," || character === "}")) break;
    if (character === "{" || character === "[") depth += 1;
    if (character === "}" || character === "]") depth -= 1;
    position += 1;
  }
  return position;
}
