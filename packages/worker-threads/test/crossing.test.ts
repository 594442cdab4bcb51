/** What may cross into a thread and back, and what becomes of the rest. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks, plain, pollUntil } from "@riverqueue/internal-test-kit";
import {
  ConfigurationError,
  exactJsonNumber,
  type JsonObject,
  parseJson,
  parseJsonObject,
  stringifyJson,
} from "riverqueue";
import { encodeArgs } from "../src/crossing/encode-args.ts";
import { WorkerThreadHandlerError } from "../src/index.ts";
import { contextOf, threads } from "./testdata/attempts.ts";

failOnLeaks();

class Money {
  readonly cents = 5;
}

const exact = exactJsonNumber("9007199254740993");

/** What cannot cross, with the end of the message. */
const REFUSED: Readonly<Record<string, unknown>> = {
  "$.price is a Money instance": { price: new Money() },
  "$.nested[0] is a function": { nested: [() => {}] },
  "$.id is an exact JSON number among arguments that are no JSON": { id: exact, at: new Date(0) },
  "$.key is a symbol": { key: Symbol("s") },
  "$.inner has the symbol key Symbol(k)": { inner: { [Symbol("k")]: 1 } },
  "$.lazy is an accessor property": {
    get lazy() {
      return 1;
    },
  },
  '$["a b"][1].fn is a function': { "a b": [1, { fn: Math.max }] },
  "$.map.keys()[0] is a Money instance": { map: new Map([[new Money(), 1]]) },
  "$.map.values()[1].x is a symbol": {
    map: new Map<string, unknown>([
      ["a", 1],
      ["b", { x: Symbol("x") }],
    ]),
  },
  "$.set.values()[0] is a function": { set: new Set([Math.max]) },
  "$.re is a RegExp instance": { re: /x/ },
  "$.error is a TypeError instance": { error: new TypeError("x") },
  "$.when is a Instant instance": { when: Temporal.Instant.fromEpochMilliseconds(0) },
  "$.bytes is a Buffer instance": { bytes: Buffer.from("x") },
  "$.words is a Uint16Array instance": { words: new Uint16Array(1) },
  "$.shared is in shared memory": { shared: new Uint8Array(new SharedArrayBuffer(1)) },
  "$.proxy is a proxy": { proxy: new Proxy({}, {}), at: new Date(0) },
  "$.date is a MyDate instance": { date: new (class MyDate extends Date {})() },
  "$.hidden is not enumerable": Object.defineProperty({ at: new Date(0) }, "hidden", { value: 1 }),
  "$ is a Money instance": new Money(),
  "$ is a function": () => {},
};

for (const [problem, args] of Object.entries(REFUSED)) {
  test(`WT-28 WT-29 arguments are refused: ${problem}`, () => {
    assert.throws(
      () => encodeArgs(args),
      (error: Error & { path?: unknown }) => {
        assert.ok(error instanceof ConfigurationError);
        assert.equal(error.message, `job arguments cannot cross to a worker thread: ${problem}`);
        return true;
      },
    );
  });
}

test("WT-28 WT-80 an attempt whose arguments cannot cross is refused without a thread", async (t) => {
  const { executor, start, target } = threads(t);
  assert.throws(() => executor.start(contextOf({ args: { price: new Money() } }).context, target("nothing").handler), {
    name: "ConfigurationError",
    message: /\$\.price is a Money instance$/,
  });
  assert.equal(executor.diagnostics().totalThreads, 0);
  assert.equal(await start("nothing").end, undefined);
});

test("WT-27 WT-29 arguments beyond JSON arrive with the types they had", async (t) => {
  const { start } = threads(t);
  const inner = { twice: 1n };
  const args = {
    big: 12345678901234567890n,
    at: new Date(86_400_000),
    map: new Map<unknown, unknown>([["k", { deep: new Set(["e"]) }]]),
    set: new Set([1n]),
    bytes: new Uint8Array([1, 2]),
    list: [inner, inner, undefined, NaN],
    none: null,
  };
  const outcome = await start("typesOfArgs", { args }).end;
  assert.ok(outcome && "output" in outcome);
  assert.deepEqual(plain(outcome.output), {
    $: "Object [object Object]",
    "$.big": "bigint",
    "$.at": `Date ${String(args.at)}`,
    "$.map": "Map [object Map]",
    "$.map<k>": "Object [object Object]",
    "$.map<k>.deep": "Set [object Set]",
    "$.map<k>.deep<>": "string",
    "$.set": "Set [object Set]",
    "$.set<>": "bigint",
    "$.bytes": "Uint8Array 1,2",
    "$.list": "Array [object Object],[object Object],,NaN",
    "$.list.0": "Object [object Object]",
    "$.list.0.twice": "bigint",
    "$.list.1": "Object [object Object]",
    "$.list.1.twice": "bigint",
    "$.list.2": "undefined",
    "$.list.3": "number",
    "$.none": "object",
  });
});

test("WT-27 arguments that refer to themselves arrive so", () => {
  const circular: { self?: unknown; readonly at: Date } = { at: new Date(0) };
  circular.self = circular;
  assert.equal(encodeArgs(circular).argsForm, "clone");
});

test("WT-25 WT-26 WT-30 numbers keep every digit: arguments, outcome, log attributes, output, metadata", async (t) => {
  const { start } = threads(t);
  const text =
    '{"id":9007199254740993,"min":-9223372036854775808,"d":0.1000000000000000055511151231257827,"big":1e400,"z":-0}';
  const numbers: JsonObject = parseJsonObject(text);
  for (const changes of [{ rawArgs: numbers }, { rawArgs: { n: 1 }, args: numbers }]) {
    const attempt = start(changes.args === undefined ? "sendEverything" : "echoArgs", changes);
    const outcome = await attempt.end;
    assert.ok(outcome && "output" in outcome && outcome.output !== undefined);
    assert.equal(stringifyJson(outcome.output), text);
    if (changes.args !== undefined) continue;
    assert.equal(stringifyJson(attempt.sent.logs[1]?.attributes), text);
    assert.equal(stringifyJson(attempt.sent.output[0]), text);
    assert.equal(stringifyJson(attempt.sent.metadata.get("copy")), text);
  }
});

test("persisted arguments that River would refuse to write cross all the same", async (t) => {
  const { start } = threads(t);
  const deep = `{"a":${"[".repeat(3_000)}${"]".repeat(3_000)},"nul":"\\u0000"}`;
  const outcome = await start("keysOfRawArgs", { rawArgs: parseJson(deep) as JsonObject }).end;
  assert.deepEqual(plain(outcome), { type: "complete", output: ["a", "nul"] });
});

test("arguments that change between their check and their departure fail the attempt", async (t) => {
  const { start } = threads(t, { maxThreads: 1 });
  const args: Record<string, unknown> = { at: new Date(0) };
  const attempt = start("nothing", { args });
  args["late"] = () => {};
  const error = await attempt.end;
  assert.ok(error instanceof ConfigurationError);
  assert.equal(await start("nothing").end, undefined);
});

test("WT-31 WT-79 what is recorded is checked where it is recorded, by the bytes of its JSON", async (t) => {
  const { start } = threads(t);
  const attempt = start("recordTooMuch");
  assert.deepEqual(plain(await attempt.end), {
    type: "complete",
    output: [
      "JsonValueError validation: job output must not exceed 32 MiB",
      "JsonValueError validation: job metadata value must not exceed 32 MiB",
      "JsonValueError validation: job metadata value must not exceed 32 MiB",
      "JsonValueError validation: job output at $.at: expected JSON, got an instance of Date",
      "ValidationError validation: metadata key must not start with river:",
      "JsonValueError validation: job metadata value at $.deep[0]: expected JSON, got undefined",
      "nothing",
    ],
  });
  assert.equal((attempt.sent.output[0] as string).length, 33_554_430);
});

test("WT-32 WT-33 WT-79 log messages are cut, and attributes that are too long are left out with a note", async (t) => {
  const { start } = threads(t);
  const attempt = start("logMuch");
  assert.equal(await attempt.end, undefined);
  const [cut, noted, refused, fitting] = attempt.sent.logs;
  assert.equal(cut?.message, "m".repeat(32_768));
  assert.equal(noted?.attributes, null);
  assert.equal(
    noted.message,
    `${"m".repeat(32_768)} [log attributes omitted: ${40_000 + '{"big":""}'.length} characters]`,
  );
  assert.match(refused?.message ?? "", /^no JSON \[log attributes omitted: JSON value at \$\.when: /);
  assert.equal(JSON.stringify(fitting?.attributes).length, 32_768);
  assert.equal(fitting?.message, "fits");
});

test("WT-33 log attributes that are no object are left out, and the handler does not fail", async (t) => {
  const { start } = threads(t);
  const attempt = start("logOddly");
  assert.equal(await attempt.end, undefined);
  const entry = {
    level: "info",
    attributes: null,
    message: "no object [log attributes omitted: they are no object]",
  };
  assert.deepEqual(plain(attempt.sent.logs), [entry, entry, entry]);
});

test("WT-34 a callback that throws fails its attempt, gives the thread up, and surfaces nowhere", async (t) => {
  const { executor, target, start } = threads(t, { maxThreads: 1 });
  for (const member of ["logger", "recordOutput", "setMetadata"] as const) {
    const { context } = contextOf();
    const broken = (): never => {
      throw new Error(`broken ${member}`);
    };
    const throwing = member === "logger" ? { debug: broken, info: broken, warn: broken, error: broken } : broken;
    const handle = executor.start({ ...context, [member]: throwing }, target("sendEverything").handler);
    await assert.rejects(Promise.resolve(handle.result), { message: `broken ${member}` });
    await pollUntil(() => executor.diagnostics().totalThreads === 0);
  }
  assert.equal(await start("nothing").end, undefined);
  assert.equal(executor.diagnostics().crashedThreads, 0);
});

test("WT-35 WT-37 an error arrives with its name, message and stack", async (t) => {
  const { start } = threads(t);
  const error = await start("fail", { rawArgs: { message: "no such file", name: "TypeError" } }).end;
  assert.ok(error instanceof WorkerThreadHandlerError && !(error instanceof TypeError));
  assert.deepEqual([error.name, error.message], ["TypeError", "no such file"]);
  assert.match(error.stack ?? "", /^TypeError: no such file\n +at fail \(.*handlers\.ts/);
});

test("WT-36 name, message and stack are cut to what River records", async (t) => {
  const { start } = threads(t);
  const error = await start("failAtLength").end;
  assert.ok(error instanceof WorkerThreadHandlerError);
  assert.deepEqual([error.name.length, error.message.length, error.stack?.length], [256, 32_768, 32_768]);
});

test("WT-37 an error without particulars has those of its class", () => {
  const bare = new WorkerThreadHandlerError("alone");
  assert.deepEqual([bare.name, bare.message], ["WorkerThreadHandlerError", "alone"]);
  assert.match(bare.stack ?? "", /alone/);
  const full = new WorkerThreadHandlerError("other", { name: "E", stack: "E: other\n  at x" });
  assert.deepEqual([full.name, full.stack, String(full)], ["E", "E: other\n  at x", "E: other"]);
});
