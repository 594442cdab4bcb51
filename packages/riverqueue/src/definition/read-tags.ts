/** Checks tags. */
import { JsonValueError } from "../model/errors/json-value-error.ts";
import type { InsertFaults } from "./insert-faults.ts";

/** At least three characters; never a comma, which separates tags where River for Go passes them on. */
const TAG = /^\w[\w-]+\w$/;
const EXPECTATION = "must be 3 to 255 characters: letters, digits, _ and, inside, -";

/** A frozen copy of a list of tags, undefined when none is given. Order and repeats are kept. */
export function readTags(faults: InsertFaults, value: unknown, path: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    faults.options.add(path, "must be a list of strings");
    return undefined;
  }
  const tags: unknown[] = Array.from(value);
  tags.forEach((tag, index) => checkTag(faults, tag, `${path}[${index}]`));
  return Object.freeze(tags as string[]);
}

function checkTag(faults: InsertFaults, tag: unknown, path: string): void {
  if (typeof tag !== "string") return faults.options.add(path, "must be a string");
  if (tag.includes("\0")) faults.add(new JsonValueError("$", `${path} at $: expected a string without U+0000`));
  else if (!tag.isWellFormed()) {
    faults.add(new JsonValueError("$", `${path} at $: expected a string without lone surrogates`));
  } else if (tag.length > 255 || !TAG.test(tag)) faults.options.add(path, EXPECTATION);
}
