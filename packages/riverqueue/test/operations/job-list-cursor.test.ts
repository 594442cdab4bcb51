import assert from "node:assert/strict";
import test from "node:test";
import { plain, sameInstant } from "@riverqueue/internal-test-kit/plain";
import type { JobListOrderBy } from "../../src/api/job-operations.ts";
import { decodeJobListCursor, encodeJobListCursor, type JobListCursor } from "../../src/operations/job-list-cursor.ts";

function cursor(id: bigint, kind: string, queue: string, orderBy: JobListOrderBy, time: string | null): JobListCursor {
  return { id, kind, queue, orderBy, time: time === null ? null : Temporal.Instant.from(time) };
}

function encoded(json: string): string {
  return Buffer.from(json).toString("base64");
}

function checkVector(text: string, value: JobListCursor): void {
  assert.equal(encodeJobListCursor(value), text);
  assert.deepEqual(plain(decodeJobListCursor(text)), plain(value));
}

test("C1: a cursor by scheduled time", () => {
  checkVector(
    "eyJpZCI6NDIsImtpbmQiOiJteV9raW5kIiwicXVldWUiOiJkZWZhdWx0Iiwic29ydF9maWVsZCI6InNjaGVkdWxlZF9hdCIsInRpbWUiOiIyMDI0LTA1LTAxVDEyOjM0OjU2Ljc4OTAxMloifQ==",
    cursor(42n, "my_kind", "default", "scheduledAt", "2024-05-01T12:34:56.789012Z"),
  );
});

test("C2: a cursor by ID has the zero time", () => {
  checkVector(
    "eyJpZCI6NDIsImtpbmQiOiJteV9raW5kIiwicXVldWUiOiJkZWZhdWx0Iiwic29ydF9maWVsZCI6ImlkIiwidGltZSI6IjAwMDEtMDEtMDFUMDA6MDA6MDBaIn0=",
    cursor(42n, "my_kind", "default", "id", null),
  );
});

test("C3: a cursor by time with the largest ID and a kind beyond ASCII", () => {
  checkVector(
    "eyJpZCI6OTIyMzM3MjAzNjg1NDc3NTgwNywia2luZCI6Im5zLmpvYsK3djIiLCJxdWV1ZSI6InEtMSIsInNvcnRfZmllbGQiOiJ0aW1lIiwidGltZSI6IjIwMjQtMDUtMDFUMTI6MzQ6NTYuN1oifQ==",
    cursor(9223372036854775807n, "ns.job·v2", "q-1", "time", "2024-05-01T12:34:56.7Z"),
  );
});

test("C4: a cursor whose kind is escaped as Go escapes it", () => {
  checkVector(
    "eyJpZCI6Nywia2luZCI6ImFcdTAwM2NiXHUwMDNlIiwicXVldWUiOiJkZWZhdWx0Iiwic29ydF9maWVsZCI6ImZpbmFsaXplZF9hdCIsInRpbWUiOiIyMDI0LTA1LTAxVDEyOjM0OjU2WiJ9",
    cursor(7n, "a<b>", "default", "finalizedAt", "2024-05-01T12:34:56Z"),
  );
});

test("C5: a cursor in which the alphabets differ, read in both", () => {
  const text =
    "eyJpZCI6Miwia2luZCI6ImFiY35-fj8_PyIsInF1ZXVlIjoiZGVmYXVsdCIsInNvcnRfZmllbGQiOiJzY2hlZHVsZWRfYXQiLCJ0aW1lIjoiMTk2OS0xMi0zMVQyMzo1OTo1OS45OTk5OTlaIn0=";
  const value = cursor(2n, "abc~~~???", "default", "scheduledAt", "1969-12-31T23:59:59.999999Z");
  checkVector(text, value);
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  assert.deepEqual(plain(decodeJobListCursor(standard)), plain(value));
});

test("times keep nine fractional digits, any offset is read, and a year beyond 9999 comes back", () => {
  for (const time of ["2024-05-01T12:34:56.123456789Z", "+012024-05-01T12:34:56Z"]) {
    sameInstant(decodeJobListCursor(encodeJobListCursor(cursor(1n, "k", "q", "time", time)))?.time, time);
  }
  const text = encoded('{"id":1,"kind":"k","queue":"q","sort_field":"time","time":"2024-05-01T14:34:56.5+02:00"}');
  sameInstant(decodeJobListCursor(text)?.time, "2024-05-01T12:34:56.5Z");
});

test("text that is no cursor is not read", () => {
  const valid = { id: 1, kind: "k", queue: "q", sort_field: "id", time: "0001-01-01T00:00:00Z" };
  assert.ok(decodeJobListCursor(encoded(JSON.stringify(valid))));
  const changed = (change: object): string => encoded(JSON.stringify({ ...valid, ...change }));
  const bad = [
    "",
    "nonsense!",
    "eyJpZCI6NDIs", // cut off
    encoded(JSON.stringify(valid)).replace(/=+$/, ""),
    encoded("[]"),
    encoded("null"),
    encoded(JSON.stringify(valid).replace('"id":1', '"id":9223372036854775808')),
    Buffer.from([0x7b, 0xff, 0x7d]).toString("base64"),
    ...[{ id: "1" }, { id: 1.5 }, { id: undefined }, { kind: 1 }, { queue: null }].map(changed),
    ...[{ sort_field: "scheduledAt" }, { sort_field: undefined }, { sort_field: "toString" }].map(changed),
    ...[
      "",
      "2024-05-01",
      "2024-05-01T12:34:56",
      "2024-13-01T12:34:56Z",
      "2024-05-01T12:34:56.1234567890Z",
      5,
      null,
    ].map((time) => changed({ time })),
  ];
  for (const text of bad) assert.equal(decodeJobListCursor(text), null, text);
});
