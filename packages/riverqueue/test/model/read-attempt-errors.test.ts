import assert from "node:assert/strict";
import test from "node:test";
import { plain } from "@riverqueue/internal-test-kit/plain";
import { readAttemptErrors } from "../../src/model/read-attempt-errors.ts";

const EPOCH = "1970-01-01T00:00:00Z";

function read(entry: string): unknown {
  return plain(readAttemptErrors(`[${entry}]`)[0]);
}

test("E1, E2, E3, E4, E5: error entries as Go writes them", () => {
  const entries = [
    String.raw`{"at":"2024-05-01T12:34:56.123456789Z","attempt":1,"error":"boom","trace":""}`,
    String.raw`{"at":"2024-05-01T14:34:56.5+02:00","attempt":25,"error":"\u003chtml\u003e \u0026 \"q\"\n","trace":""}`,
    String.raw`{"at":"2024-05-01T12:34:56Z","attempt":3,"error":"Stuck job rescued by JobRescuer","trace":""}`,
    String.raw`{"at":"2024-05-01T12:34:56Z","attempt":2,"error":"runtime error: x","trace":"main.f\n\tf.go:1\nmain.g\n\tg.go:2\n"}`,
    String.raw`{"at":"2024-05-01T12:34:56Z","attempt":1,"error":"JobCancelError: job cancelled remotely","trace":""}`,
  ];
  assert.deepStrictEqual(plain(readAttemptErrors(`[${entries.join(",")}]`)), [
    { at: "2024-05-01T12:34:56.123456789Z", attempt: 1, error: "boom", trace: "" },
    { at: "2024-05-01T12:34:56.5Z", attempt: 25, error: '<html> & "q"\n', trace: "" },
    { at: "2024-05-01T12:34:56Z", attempt: 3, error: "Stuck job rescued by JobRescuer", trace: "" },
    {
      at: "2024-05-01T12:34:56Z",
      attempt: 2,
      error: "runtime error: x",
      trace: "main.f\n\tf.go:1\nmain.g\n\tg.go:2\n",
    },
    { at: "2024-05-01T12:34:56Z", attempt: 1, error: "JobCancelError: job cancelled remotely", trace: "" },
  ]);
});

test("fields of a wrong shape are read as well as possible", () => {
  assert.deepStrictEqual(read("{}"), { at: EPOCH, attempt: 0, error: "", trace: "" });
  assert.deepStrictEqual(read('{"at":"yesterday","attempt":"7","error":{"code":1},"trace":null}'), {
    at: EPOCH,
    attempt: 7,
    error: '{"code":1}',
    trace: "",
  });
  assert.deepStrictEqual(read('{"at":1714566896,"attempt":-1,"error":9007199254740993,"trace":["a"]}'), {
    at: EPOCH,
    attempt: 0,
    error: "9007199254740993",
    trace: '["a"]',
  });
  assert.deepStrictEqual(read('{"at":"2024-05-01 12:34:56","attempt":1e400,"error":false}'), {
    at: EPOCH,
    attempt: 0,
    error: "false",
    trace: "",
  });
  assert.deepStrictEqual(read('{"attempt":2.5}'), { at: EPOCH, attempt: 2, error: "", trace: "" });
});

test("entries that are no objects survive as messages", () => {
  const errors = readAttemptErrors('["text",5,null,[1],{"error":"x"}]');
  assert.deepStrictEqual(
    errors.map(({ error }) => error),
    ["text", "5", "", "[1]", "x"],
  );
  assert.deepStrictEqual(plain(readAttemptErrors('"text"')), [{ at: EPOCH, attempt: 0, error: "text", trace: "" }]);
});

test("a column without entries is an empty list", () => {
  assert.deepStrictEqual(readAttemptErrors("[]"), []);
  assert.deepStrictEqual(readAttemptErrors(" [ ] "), []);
});
