/** Everything that a handler may throw, with the message that is recorded of it. */

/** One of the zoo. */
export interface Throwable {
  readonly name: string;
  readonly value: unknown;
  /** What is recorded, exactly. */
  readonly message: string;
}

/** Longest recorded message, in UTF-16 code units. */
const LIMIT = 32_768;

/** Makes all of them anew; some are used up by being looked at. */
export function throwables(): readonly Throwable[] {
  return [...primitives(), ...objects(), ...errors(), ...hostileErrors()].map(([name, value, message]) => ({
    name,
    value,
    message,
  }));
}

type Entry = readonly [name: string, value: unknown, message: string];

function primitives(): readonly Entry[] {
  return [
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["text", "text", "text"],
    ["empty text", "", "a thrown string without text"],
    ["long text", "long ".repeat(10_000), "long ".repeat(10_000).slice(0, LIMIT)],
    ["a number", 0, "0"],
    ["false", false, "false"],
    ["a bigint", 42n, "42"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["a function", Object.assign(() => {}, { message: "of a function" }), "of a function"],
  ];
}

function objects(): readonly Entry[] {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return [
    ["an object", {}, "[object Object]"],
    ["an object without prototype", Object.create(null), "a thrown object without text"],
    ["an object like an error", { message: "like one" }, "like one"],
    ["a revoked proxy", proxy, "a thrown object without text"],
    ["a proxy whose traps throw", new Proxy({}, trapsThatThrow()), "a thrown object without text"],
    ["an object whose text cannot be made", { toString: hostile }, "a thrown object without text"],
    ["a thenable whose then throws", thenable(hostile), "[object Object]"],
    ["a thenable that never settles", thenable(() => {}), "[object Object]"],
    ["an array", [1, [2]], "1,2"],
    ["a rejected promise", rejected(), "[object Promise]"],
  ];
}

function errors(): readonly Entry[] {
  const own: Error & { cause?: unknown } = new Error("its own cause");
  own.cause = own;
  let chain: unknown = "the end";
  for (let depth = 0; depth < 10_000; depth++) chain = new Error("a link", { cause: chain });
  const many = Array.from({ length: 10_000 }, (_, n) => new Error(`one of many: ${n}`));
  return [
    ["an error", new Error("plain"), "plain"],
    ["a runtime fault", new TypeError("x is no function"), "x is no function"],
    ["a frozen error", Object.freeze(new Error("frozen")), "frozen"],
    ["an error without a message", new Error(""), "Error"],
    ["an error of a class without a message", Object.assign(new Error(""), { name: "NamedError" }), "NamedError"],
    ["an error with a NUL and half an emoji", new Error("bad\u0000byte \ud83d"), "bad\ufffdbyte \ufffd"],
    ["an error that is its own cause", own, "its own cause"],
    ["an error with 10,000 causes", chain, "a link"],
    ["an aggregate of 10,000 errors", new AggregateError(many, "many"), "many"],
    ["an aggregate without a message", new AggregateError(many), "AggregateError"],
    ["an error with a function", Object.assign(new Error("with a function"), { call: () => {} }), "with a function"],
    ["an error with a stack of 10 MB", withStack(new Error("tall"), 10_000_000), "tall"],
    ["a fault with a stack of 10 MB", withStack(new RangeError("taller"), 10_000_000), "taller"],
    ["an error with a message of 10 MB", new Error("x".repeat(10_000_000)), "x".repeat(LIMIT)],
    ["a DOMException", new DOMException("dom", "DataError"), "dom"],
    ["an error without prototype", Object.setPrototypeOf(new Error("orphan"), null), "orphan"],
  ];
}

function hostileErrors(): readonly Entry[] {
  return [
    ["an error whose message throws", withGetter("message", hostile), "Error"],
    ["an error whose name throws", withGetter("name", hostile), "hostile"],
    ["an error whose message and name throw", withGetter("name", hostile, withGetter("message", hostile)), "Error"],
    ["an error whose stack throws", withGetter("stack", hostile), "hostile"],
    ["a fault whose stack throws", withGetter("stack", hostile, new TypeError("hostile")), "hostile"],
    ["an error whose cause throws", withGetter("cause", hostile), "hostile"],
    ["an error whose message is no text", withGetter("message", () => ({ deep: true })), "Error"],
    ["an error whose cause is another each time", withGetter("cause", () => new Error("another")), "hostile"],
    ["an error whose message changes", withGetter("message", changing()), "read 1 times"],
    ["an error whose toJSON throws", Object.assign(new Error("unwritable"), { toJSON: hostile }), "unwritable"],
  ];
}

function hostile(): never {
  throw new Error("must not get out");
}

function withGetter(property: string, get: () => unknown, error: Error = new Error("hostile")): Error {
  return Object.defineProperty(error, property, { get, configurable: true });
}

function changing(): () => string {
  let reads = 0;
  return () => `read ${++reads} times`;
}

function withStack(error: Error, length: number): Error {
  return Object.assign(error, { stack: "s".repeat(length) });
}

function thenable(then: () => void): object {
  // oxlint-disable-next-line unicorn/no-thenable -- one of what may be thrown
  return { then };
}

function rejected(): Promise<never> {
  const promise = Promise.reject(new Error("inside"));
  promise.catch(() => {});
  return promise;
}

function trapsThatThrow(): ProxyHandler<object> {
  return new Proxy({}, { get: () => hostile });
}
