import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { copyJsonValue } from "../../src/json/copy-json-value.ts";
import { encodeStoredJson } from "../../src/json/encode-stored-json.ts";
import { exactJsonNumber } from "../../src/json/exact-json-number.ts";
import { parseJson } from "../../src/json/parse-json.ts";
import { stringifyJson } from "../../src/json/stringify-json.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";

const exact = exactJsonNumber;
const encode = (value: unknown): string => encodeStoredJson(copyJsonValue(value));

/** Values and the text River for Go stores for them. */
const VECTORS: Readonly<Record<string, readonly [value: unknown, text: string]>> = {
  U1: [{ z: 1, a: "x", m: true }, '{"z":1,"a":"x","m":true}'],
  U2: [{ z: { y: 1, x: 2 }, a: [{ y: 3, x: 4 }] }, '{"z":{"y":1,"x":2},"a":[{"y":3,"x":4}]}'],
  U3: [{ a: null, b: 1 }, '{"a":null,"b":1}'],
  U4: [{ a: undefined, b: 1 }, '{"b":1}'],
  U5: [{}, "{}"],
  U6: [{ ns: null, es: [], nm: null, em: {} }, '{"ns":null,"es":[],"nm":null,"em":{}}'],
  U7: [{ o: {}, a: [{}] }, '{"o":{},"a":[{}]}'],
  U8: [{ s: "Zoë 日本 😀" }, '{"s":"Zoë 日本 😀"}'],
  U9: [{ s: '<a href="x">Tom & "J"</a>' }, String.raw`{"s":"\u003ca href=\"x\"\u003eTom \u0026 \"J\"\u003c/a\u003e"}`],
  U10: [{ s: "a\u2028b\u2029c" }, String.raw`{"s":"a\u2028b\u2029c"}`],
  U11: [{ s: "\t\n\r\u0001\u001f\\/" }, String.raw`{"s":"\t\n\r\u0001\u001f\\/"}`],
  U13: [
    {
      max: exact("9223372036854775807"),
      min: exact("-9223372036854775808"),
      u: exact("18446744073709551615"),
      p: exact("9007199254740993"),
    },
    '{"max":9223372036854775807,"min":-9223372036854775808,"u":18446744073709551615,"p":9007199254740993}',
  ],
  U14: [
    { a: 1, b: exact("1e+21"), c: exact("100000000000000000000"), d: 1e-6, e: 1e-7, f: -0 },
    '{"a":1,"b":1e+21,"c":100000000000000000000,"d":0.000001,"e":1e-7,"f":-0}',
  ],
  U15: [
    { a: 0.1, b: 5e-324, c: exact("1.7976931348623157e+308"), d: exact("1.5e+300") },
    '{"a":0.1,"b":5e-324,"c":1.7976931348623157e+308,"d":1.5e+300}',
  ],
  U16: [{ a: 0.1, b: 16_777_216 }, '{"a":0.1,"b":16777216}'],
  U17: [{ n: "9007199254740993" }, '{"n":"9007199254740993"}'],
  U18: [{ b: "+/8A" }, '{"b":"+/8A"}'],
  U19: [
    { u: "2024-05-01T12:34:56.78Z", l: "2024-05-01T14:34:56.123456789+02:00", z: "0001-01-01T00:00:00Z" },
    '{"u":"2024-05-01T12:34:56.78Z","l":"2024-05-01T14:34:56.123456789+02:00","z":"0001-01-01T00:00:00Z"}',
  ],
  U20: [{ m: { B: 2, a10: 3, a2: 4, b: 1, é: 5 } }, '{"m":{"B":2,"a10":3,"a2":4,"b":1,"é":5}}'],
  U22: [{ b: 1, B: 2, _: 3, "a-b": 4, a: 5 }, '{"b":1,"B":2,"_":3,"a-b":4,"a":5}'],
  U23: [{ 𝒳: 1, ﬀ: 2 }, '{"𝒳":1,"ﬀ":2}'],
  U25: [{ "a<b": 1 }, String.raw`{"a\u003cb":1}`],
  U26: [{ "é<": 1 }, String.raw`{"é\u003c":1}`],
  U27: [{ 'a"b': 1 }, String.raw`{"a\"b":1}`],
  U28: [{ r: { b: [1, exact("2.0")], a: "<" } }, String.raw`{"r":{"b":[1,2.0],"a":"\u003c"}}`],
  U29: [{ n: exact("1.0"), m: exact("1E5"), k: exact("0.10") }, '{"n":1.0,"m":1E5,"k":0.10}'],
  U30: [{ "a~b:c;d e": 1, $x: 2, "%y": 3 }, '{"a~b:c;d e":1,"$x":2,"%y":3}'],
  U31: [{ s: "a\u007fb" }, '{"s":"a\u007fb"}'],
  U32: [{ s: "\b\f" }, String.raw`{"s":"\b\f"}`],
};

for (const [id, [value, text]] of Object.entries(VECTORS)) {
  test(`${id}: the stored text equals that of River for Go`, () => {
    assert.equal(encode(value), text);
    assert.equal(stringifyJson(parseJson(text)), stringifyJson(parseJson(stringifyJson(value))));
  });
}

for (const id of ["U13", "U14", "U15"]) {
  test(`${id}: parsing the stored text and encoding it again keeps every number`, () => {
    const text = VECTORS[id]?.[1] ?? "";
    assert.equal(encode(parseJson(text)), text);
  });
}

test("U12: text that is not Unicode is refused instead of replaced", () => {
  assert.throws(() => encode({ s: "a\ud800b" }), JsonValueError);
  assert.equal(encode({ s: "a\ufffdb" }), '{"s":"a\ufffdb"}');
});

test("U21: integer keys are stored in JavaScript's order, which is that of the hashed text", () => {
  assert.equal(encode({ m: { "-1": "z", 10: "x", 9: "y" } }), '{"m":{"9":"y","10":"x","-1":"z"}}');
});

test("U24: integer keys come first at the top level too", () => {
  assert.equal(encode({ a: 1, 10: 2, 9: 3 }), '{"9":3,"10":2,"a":1}');
});

test("stringifyJson leaves characters of HTML as they are", () => {
  assert.equal(stringifyJson({ s: "<&>\u2028" }), '{"s":"<&>\u2028"}');
});

test("JS-112: a text over 32 MiB, in bytes of UTF-8, is refused with the subject's name", () => {
  const limit = 33_554_432;
  const largest = "é".repeat((limit - 2) / 2);
  assert.equal(Buffer.byteLength(encodeStoredJson(largest, "job output")), limit);
  const refusal = { name: "JsonValueError", code: "validation", message: "job output must not exceed 32 MiB" };
  assert.throws(() => encodeStoredJson(`${largest}x`, "job output"), refusal);
  // Escapes count as they are stored.
  assert.throws(() => encodeStoredJson("<".repeat(limit / 6 + 1), "job output"), refusal);
  assert.throws(() => copyJsonValue("x".repeat(limit - 1), { subject: "job output" }), refusal);
  assert.throws(() => encodeStoredJson("12345", "note", 6), { message: "note must not exceed 6 bytes" });
  assert.throws(() => stringifyJson("<é".repeat(12_000_000)), { message: "JSON value must not exceed 32 MiB" });
});

test("SQLite's binary JSON takes the deepest accepted value and gives its text back", () => {
  using database = new DatabaseSync(":memory:");
  const deepest = parseJson(`${'{"a":'.repeat(999)}[9007199254740993,1e400,-0,"\\u2028é"]${"}".repeat(999)}`);
  const text = encode(deepest);
  const row = database.prepare("select json(jsonb(?)) as text").get(text);
  assert.equal(row?.["text"], text);
  assert.throws(() => encode([deepest]), JsonValueError);
});
