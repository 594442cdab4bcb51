/**
 * Tells plain objects and arrays from instances of classes. Realms are not told apart: test runners and `node:vm` hand
 * over plain objects whose `Object` is another one.
 */

/** Whether a value with this prototype is a plain object. */
export function isPlainObjectPrototype(prototype: object | null): boolean {
  return prototype === null || prototype === Object.prototype || isRoot(prototype);
}

/** Whether an array with this prototype is a plain one. `Array.prototype` is an array itself, in every realm. */
export function isPlainArrayPrototype(prototype: object | null): boolean {
  if (prototype === Array.prototype) return true;
  return prototype !== null && Array.isArray(prototype) && isRoot(Object.getPrototypeOf(prototype));
}

/** `Object.prototype` of some realm. */
function isRoot(prototype: object | null): boolean {
  return prototype !== null && Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}
