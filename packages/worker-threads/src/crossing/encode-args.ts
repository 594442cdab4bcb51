/**
 * Arguments on their way into a thread. What is River JSON crosses as text, in which numbers keep every digit. Anything
 * else crosses as a structured clone, if it arrives as it left: the clone of an instance of a class, say, would be a
 * plain object, and a handler must never be given something else than its definition promised.
 */
import { types } from "node:util";
import { ConfigurationError, isExactJsonNumber, type JsonValue, JsonValueError, stringifyJson } from "riverqueue";
import type { ArgsForm } from "../protocol/messages.ts";

/** Arguments that can be sent. */
export interface EncodedArgs {
  readonly argsForm: ArgsForm;
  readonly args: unknown;
}

/**
 * See the file header.
 *
 * @throws ConfigurationError with the path of the first value that cannot cross.
 */
export function encodeArgs(args: unknown): EncodedArgs {
  try {
    return { argsForm: "json", args: stringifyJson(args) };
  } catch (error) {
    if (!(error instanceof JsonValueError)) throw error;
  }
  assertCloneable(args);
  return { argsForm: "clone", args };
}

/** JSON text of what the database holds; rows of other programs may hold JSON that River itself would refuse to write. */
export function encodePersisted(value: JsonValue): string {
  try {
    return stringifyJson(value);
  } catch {
    return JSON.stringify(value);
  }
}

/** A value that is to be checked. */
interface Step {
  readonly value: unknown;
  readonly path: string;
}

/** Goes through the value without recursion: its depth is not limited. */
function assertCloneable(args: unknown): void {
  const seen = new Set<object>();
  const open: Step[] = [{ value: args, path: "$" }];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { value, path } = step;
    if (typeof value === "function" || typeof value === "symbol") refuse(path, `is a ${typeof value}`);
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    // The first one found is the one that is named.
    open.push(...membersOf(value, path).toReversed());
  }
}

function membersOf(value: object, path: string): Step[] {
  if (types.isProxy(value)) refuse(path, "is a proxy");
  if (isExactJsonNumber(value)) refuse(path, "is an exact JSON number among arguments that are no JSON");
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Uint8Array.prototype) {
    if (types.isSharedArrayBuffer((value as Uint8Array).buffer)) refuse(path, "is in shared memory");
    return [];
  }
  if (prototype === Date.prototype) return propertiesOf(value, path);
  if (prototype === Map.prototype)
    return [...propertiesOf(value, path), ...entriesOf(value as Map<unknown, unknown>, path)];
  if (prototype === Set.prototype) return [...propertiesOf(value, path), ...elementsOf(value as Set<unknown>, path)];
  if (Array.isArray(value) ? !isPlainArray(prototype) : !isPlainObject(prototype)) {
    refuse(path, `is a ${className(prototype)} instance`);
  }
  return propertiesOf(value, path);
}

function entriesOf(map: Map<unknown, unknown>, path: string): Step[] {
  return Array.from(map, ([key, value], index) => [
    { value: key, path: `${path}.keys()[${index}]` },
    { value, path: `${path}.values()[${index}]` },
  ]).flat();
}

function elementsOf(set: Set<unknown>, path: string): Step[] {
  return Array.from(set, (value, index) => ({ value, path: `${path}.values()[${index}]` }));
}

function propertiesOf(value: object, path: string): Step[] {
  const steps: Step[] = [];
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === "symbol") refuse(path, `has the symbol key ${String(key)}`);
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || (Array.isArray(value) && key === "length")) continue;
    const at = Array.isArray(value) && /^\d+$/.test(key) ? `${path}[${key}]` : path + propertyPath(key);
    if (!("value" in descriptor)) refuse(at, "is an accessor property");
    if (descriptor.enumerable !== true) refuse(at, "is not enumerable");
    steps.push({ value: descriptor.value, path: at });
  }
  return steps;
}

function propertyPath(key: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** `Object.prototype` of any realm, or none. */
function isPlainObject(prototype: object | null): boolean {
  return prototype === null || isRoot(prototype);
}

function isPlainArray(prototype: object | null): boolean {
  return prototype !== null && Array.isArray(prototype) && isRoot(Object.getPrototypeOf(prototype));
}

function isRoot(prototype: object | null): boolean {
  return prototype !== null && Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

function className(prototype: object | null): string {
  const constructor: unknown = prototype && Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  return (typeof constructor === "function" && constructor.name.slice(0, 100)) || "class";
}

function refuse(path: string, problem: string): never {
  throw new ConfigurationError(`job arguments cannot cross to a worker thread: ${path} ${problem}`, {
    details: { path },
  });
}
