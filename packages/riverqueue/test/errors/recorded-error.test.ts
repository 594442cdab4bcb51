import assert from "node:assert/strict";
import test from "node:test";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import {
  canonicalError,
  isRuntimeFault,
  RECORDED_MESSAGE_LIMIT,
  RECORDED_STACK_LIMIT,
} from "../../src/model/errors/recorded-error.ts";

const FAULTS = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError];

function assertStorable(thrown: unknown): void {
  for (const errorStacks of ["faults", "always"] as const) {
    const recorded = canonicalError(thrown, errorStacks);
    assert.ok(recorded.error.length > 0 && recorded.error.length <= RECORDED_MESSAGE_LIMIT);
    assert.ok(recorded.trace.length <= RECORDED_STACK_LIMIT);
    for (const text of [recorded.error, recorded.trace]) {
      assert.ok(text.isWellFormed() && !text.includes("\0"));
    }
  }
}

function errorWith(properties: PropertyDescriptorMap): Error {
  return Object.defineProperties(new Error("original"), properties);
}

function throwing(): never {
  throw new Error("getter");
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test("C06: every throwable is recorded with a message that is not empty", () => {
  const selfCaused = new Error("self");
  selfCaused.cause = selfCaused;
  const many = Array.from({ length: 10_000 }, (_, index) => new Error(`part ${index}`));
  // oxlint-disable-next-line unicorn/no-thenable -- a handler may throw one
  const thenable = { then: throwing };
  const zoo: readonly [unknown, string][] = [
    [undefined, "undefined"],
    [null, "null"],
    ["text", "text"],
    ["", "a thrown string without text"],
    [42n, "42"],
    [-0, "0"],
    [Symbol("s"), "Symbol(s)"],
    [{}, "[object Object]"],
    [{ message: "error-like" }, "error-like"],
    [Object.create(null), "a thrown object without text"],
    [revokedProxy(), "a thrown object without text"],
    [{ toString: () => 5 }, "5"],
    [{ toString: throwing }, "a thrown object without text"],
    [errorWith({ message: { get: throwing } }), "Error"],
    [errorWith({ message: { get: throwing }, name: { get: throwing } }), "Error"],
    [errorWith({ name: { get: throwing } }), "original"],
    [errorWith({ stack: { get: throwing } }), "original"],
    [errorWith({ message: { value: 5 } }), "Error"],
    [Object.freeze(new Error("frozen")), "frozen"],
    [selfCaused, "self"],
    [new AggregateError(many, "many"), "many"],
    [new AggregateError(many), "AggregateError"],
    [Object.assign(new Error("with function"), { retry: throwing }), "with function"],
    [errorWith({ stack: { value: "x".repeat(10_000_000) } }), "original"],
    [thenable, "[object Object]"],
    [new DOMException("dom", "AbortError"), "dom"],
    [new DOMException("", "AbortError"), "AbortError"],
    [new (class Foreign extends TypeError {})(""), "TypeError"],
  ];
  for (const [thrown, message] of zoo) {
    assertStorable(thrown);
    assert.equal(canonicalError(thrown).error, message);
    assert.equal(canonicalError(thrown).trace, "");
  }
});

test("JS-45: message and stack are each cut to 32,768 characters without a mark", () => {
  const fault = new TypeError("m".repeat(100_000));
  fault.stack = "s".repeat(10_000_000);
  assert.deepEqual(canonicalError(fault), { error: "m".repeat(32_768), trace: "s".repeat(32_768) });
});

test("JS-106: half a surrogate pair at the cut, lone halves and NUL become U+FFFD", () => {
  const text = `${"a".repeat(32_767)}😀`;
  assert.equal(canonicalError(new Error(text)).error, `${"a".repeat(32_767)}\uFFFD`);
  assert.equal(canonicalError("😀".repeat(20_000)).error, "😀".repeat(16_384));
  assert.equal(canonicalError(new Error("bad\0byte \uD800 \uDC00")).error, "bad\uFFFDbyte \uFFFD \uFFFD");
});

test("JS-106: a name that stands in for an empty message is cut to 256 characters", () => {
  const error = new Error("");
  error.name = "n".repeat(1_000);
  assert.equal(canonicalError(error).error, "n".repeat(256));
});

test("JS-47: exactly the six built-in fault classes record their stack", () => {
  for (const Fault of FAULTS) {
    const fault = new Fault("boom");
    assert.equal(isRuntimeFault(fault), true);
    assert.deepEqual(canonicalError(fault), { error: "boom", trace: fault.stack });
  }
});

test("JS-48: subclasses, other errors and faults of other realms record no stack", () => {
  class Derived extends TypeError {}
  const foreign: unknown = runInNewContext("new TypeError('boom')");
  for (const thrown of [new Derived("boom"), new Error("boom"), new AggregateError([], "boom"), foreign]) {
    assert.equal(isRuntimeFault(thrown), false);
    assert.deepEqual(canonicalError(thrown), { error: "boom", trace: "" });
  }
  for (const thrown of [undefined, null, TypeError, "TypeError", revokedProxy()]) {
    assert.equal(isRuntimeFault(thrown), false);
  }
});

test("with all stacks recorded, the trace is the stack and then the chain of causes", () => {
  const root = new Error("root");
  const middle = new Error("middle", { cause: root });
  const outer = new Error("outer", { cause: middle });
  assert.deepEqual(canonicalError(outer, "always"), {
    error: "outer",
    trace: `${outer.stack}\ncaused by: ${middle.stack}\ncaused by: ${root.stack}`,
  });
  assert.equal(canonicalError("text", "always").trace, "");
  const causedByText = new Error("outer", { cause: "disk full" });
  assert.equal(canonicalError(causedByText, "always").trace, `${causedByText.stack}\ncaused by: disk full`);
});

test("chains of causes end: cycles, endless chains, and one limit for all stacks together", () => {
  const first = new Error("first");
  const second = new Error("second", { cause: first });
  first.cause = second;
  assert.equal(canonicalError(first, "always").trace, `${first.stack}\ncaused by: ${second.stack}`);
  const endless = new Proxy(new Error("endless"), {
    get: (target, key) => (key === "cause" ? new Proxy(target, { get: () => endless }) : ""),
  });
  assertStorable(endless);
  const long = new Error("long", { cause: new Error("cause") });
  long.stack = "s".repeat(32_768);
  assert.equal(canonicalError(long, "always").trace, long.stack);
});

test("recorded errors are always storable", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.nat(0xffff).map((u) => String.fromCharCode(u)) }),
  );
  const padded = fc.tuple(fc.nat(40_000), text).map(([length, tail]) => "p".repeat(length) + tail + tail);
  fc.assert(
    fc.property(padded, text, padded, fc.anything(), (message, name, stack, cause) => {
      const error = new Error(message, { cause });
      error.name = name;
      error.stack = stack;
      assertStorable(error);
      assertStorable(cause);
      assertStorable(Object.setPrototypeOf(error, TypeError.prototype));
    }),
  );
});
