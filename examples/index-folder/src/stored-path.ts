// Paths are bytes: on most systems a name may be anything without NUL and slash. They are kept as text where they are
// text, so that the table can be read by people, and as bytes where they are not, so that the file is found again.
import { isUtf8 } from "node:buffer";
import { sep } from "node:path";

/** A path as the table `files` has it. */
export type StoredPath = string | Uint8Array;

const SEPARATOR = Buffer.from(sep);

/** Text where the bytes are UTF-8, else the bytes. */
export function toStoredPath(path: Buffer): StoredPath {
  return isUtf8(path) ? path.toString() : path;
}

/** The bytes of a stored path. */
export function toPathBytes(path: StoredPath): Buffer {
  return typeof path === "string" ? Buffer.from(path) : Buffer.from(path.buffer, path.byteOffset, path.byteLength);
}

/** What every path below `folder` begins with. */
export function prefixOf(folder: Buffer): Buffer {
  return folder.subarray(-SEPARATOR.length).equals(SEPARATOR) ? folder : Buffer.concat([folder, SEPARATOR]);
}

/** The path of an entry of a folder. */
export function joinPath(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([prefixOf(folder), name]);
}

/** A path for people, relative to `folder`. */
export function showPath(path: StoredPath, folder: Buffer): string {
  const bytes = toPathBytes(path);
  const prefix = prefixOf(folder);
  const isBelow = bytes.subarray(0, prefix.length).equals(prefix);
  return showText((isBelow ? bytes.subarray(prefix.length) : bytes).toString());
}

/** Text on one line that cannot steer a terminal: control and formatting characters are written out. */
export function showText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    if (character === "\n") return "\\n";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
