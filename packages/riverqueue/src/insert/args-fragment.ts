/**
 * The part of a unique key that stands for the arguments: byte for byte what River for Go makes of the same encoded
 * arguments. Where Go would take a key for path syntax and lose its value, arguments are refused instead.
 */
import { splitArgsPath } from "../definition/args-path.ts";
import { compareBytes } from "../definition/byte-order.ts";
import { escapeLikeGo } from "../json/encode-stored-json.ts";
import { type RawJsonMember, rawJsonMembers } from "./raw-json-members.ts";

/** Keys that go into a fragment as they are. */
const VERBATIM_KEY = /^[ !#-[\]-\u007f]*$/;
/** Where River for Go reads a top-level key as a path: characters with a meaning anywhere, and those with one in front. */
const PATH_SYNTAX = /[.*?#@|\\]|^[:![{]|^$/;

/** Fragment over all arguments: top-level keys sorted by their bytes, each with its encoded value. */
export function fragmentOfAllArgs(encodedArgs: string): string {
  const members = rawJsonMembers(encodedArgs) ?? [];
  members.sort((a, b) => compareBytes(a.key, b.key));
  return `{${members.map(({ key, value }) => `${encodeKey(key)}:${value}`).join(",")}}`;
}

/** Top-level keys that cannot be used when all arguments are compared, in their order. */
export function keysUnusableInFragment(encodedArgs: string): string[] {
  const seen = new Set<string>();
  const unusable = new Set<string>();
  for (const { key } of rawJsonMembers(encodedArgs) ?? []) {
    if (PATH_SYNTAX.test(key) || seen.has(key)) unusable.add(key);
    seen.add(key);
  }
  return [...unusable];
}

/** Fragment over the values at `paths`, in the order they have among checked options; empty when the arguments have none of them. */
export function fragmentOfPaths(encodedArgs: string, paths: readonly string[]): string {
  const root: Branch = new Map();
  for (const path of paths) {
    const segments = splitArgsPath(path);
    const value = valueAt(encodedArgs, segments);
    if (value !== undefined) setAt(root, segments, value);
  }
  return root.size === 0 ? "" : writeBranch(root);
}

/** Part of the document being built: nested branches and encoded values, in order of their making. */
type Branch = Map<string, Branch | string>;

function valueAt(encodedArgs: string, segments: readonly string[]): string | undefined {
  let value: string | undefined = encodedArgs;
  for (const segment of segments) {
    const members: RawJsonMember[] | null = rawJsonMembers(value);
    value = members?.find(({ key }) => key === segment)?.value;
    if (value === undefined) return undefined;
  }
  return value;
}

function setAt(root: Branch, segments: readonly string[], value: string): void {
  let branch = root;
  for (const segment of segments.slice(0, -1)) {
    const next = branch.get(segment);
    // The whole value of an ancestor is there already, and this value with it.
    if (typeof next === "string") return;
    const child: Branch = next ?? new Map();
    branch.set(segment, child);
    branch = child;
  }
  branch.set(segments.at(-1) ?? "", value);
}

function writeBranch(branch: Branch): string {
  const members = Array.from(branch, ([key, value]) => {
    return `${encodeKey(key)}:${typeof value === "string" ? value : writeBranch(value)}`;
  });
  return `{${members.join(",")}}`;
}

function encodeKey(key: string): string {
  return VERBATIM_KEY.test(key) ? `"${key}"` : escapeLikeGo(JSON.stringify(key));
}
