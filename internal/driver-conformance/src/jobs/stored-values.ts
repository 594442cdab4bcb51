/** Values that come out as they went in: JSON by its exact meaning, times at the database's precision, text, bytes. */
import assert from "node:assert/strict";
import { sameInstant } from "@riverqueue/internal-test-kit";
import type { ConformanceTest } from "../conformance-test.ts";
import { sameJson } from "../exact-json.ts";
import { endOf, unique } from "../job-values.ts";
import type { Subject } from "../subject.ts";

/** Objects that careless readers change. */
const OBJECTS: Readonly<Record<string, string>> = {
  "large integers": '{"n":9007199254740993,"m":-9223372036854775809,"l":[123456789012345678901234567890]}',
  "exact fractions": '{"n":1.50,"m":0.1000000000000000055511151231257827,"e":1E+2,"z":-0,"big":1e400,"small":1e-300}',
  "odd keys": '{"__proto__":{"x":1},"constructor":{"prototype":2},"toString":3,"":4,"a.b":5,"$.c":6,"\\"":7," ":8}',
  "odd text":
    '{"s":"\\u0041\\ud83d\\ude00é\\u2028\\\\ \\"\\n\\t\\u001f\\/","t":"\'); DROP TABLE river_job; --","u":"$1 ? :a %s"}',
  "empty values": '{"o":{},"a":[],"s":"","n":null,"f":false,"z":0,"aa":[[],[{}],[null]]}',
};

const DEEPEST = 1_000;

export function storedValueTests(test: ConformanceTest): void {
  for (const [what, text] of Object.entries(OBJECTS)) {
    test(`${what} stay exact from insertion to the end of an attempt`, (subject) => keepsJson(subject, text));
  }
  test("args and metadata nested 1,000 levels deep are stored, alone and among others", keepsDepth);
  test("a megabyte of args and of output is stored", keepsSize);
  test("text of names, tags and clients is stored as it is", keepsText);
  test("keys are stored byte by byte", keepsBytes);
  test("times are kept at the database's precision, wherever they are written: T1 T2 T3 T4 T5", keepsTimes);
}

async function keepsJson(subject: Subject, text: string): Promise<void> {
  const inserted = await subject.addOne({ args: text, metadata: text });
  const claimed = await subject.claimOne();
  const error = `{"at":"2024-05-01T12:34:56Z","attempt":1,"error":"","trace":"","more":${text}}`;
  const output = `{"output":${text}}`;
  await subject.settle(endOf(claimed, { state: "discarded", metadata: output, error }));
  const updated = await subject.jobs.update({ id: inserted.id, metadata: `{"updated":${text}}` });
  const stored = await subject.read(inserted.id);
  for (const job of [inserted, claimed, updated, stored]) sameJson(job?.args, text);
  for (const job of [inserted, claimed]) sameJson(job.metadata, text);
  const { length } = text;
  const merged = `${text.slice(0, length - 1)},"output":${text},"updated":${text}}`;
  for (const job of [updated, stored]) {
    sameJson(job?.metadata, merged);
    sameJson(job?.errors, `[${error}]`);
  }
}

async function keepsDepth(subject: Subject): Promise<void> {
  const deep = `{"a":${"[".repeat(DEEPEST - 1)}${"]".repeat(DEEPEST - 1)}}`;
  const inserted = [await subject.addOne({ args: deep })];
  inserted.push(...(await subject.add({ args: deep }, { metadata: deep }, {})));
  const stored = await Promise.all(inserted.map(({ id }) => subject.read(id)));
  for (const job of [inserted, stored].flatMap((jobs) => jobs.slice(0, 2))) sameJson(job.args, deep);
  sameJson(stored[2]?.metadata, deep);
}

async function keepsSize(subject: Subject): Promise<void> {
  const text = JSON.stringify({ text: "é😀\n".repeat(200_000) });
  const [a] = await subject.add({ args: text }, {});
  const [claimed] = await subject.claim();
  assert.ok(a && claimed);
  sameJson(claimed.args, text);
  await subject.settle(endOf(claimed, { metadata: `{"output":${text}}` }));
  sameJson((await subject.read(a.id)).metadata, `{"output":${text}}`);
}

async function keepsText(subject: Subject): Promise<void> {
  const tags = ["one", 'tw"o', "a\\b", "{}", "NULL", "null", " spaced ", "é😀", "'", "a,b"];
  const kind = "k \"é\\ 😀'";
  const queue = "q.é\\'\"{},";
  const clientId = 'c "{},\\ é NULL';
  const { id } = await subject.addOne({ kind, queue, tags });
  const { jobs } = await subject.jobs.claim({ queue, clientId, limit: 1, kinds: [kind], hint: null });
  for (const job of [...jobs, await subject.read(id)]) {
    assert.deepEqual([job.id, job.kind, job.queue, job.tags, job.attemptedBy], [id, kind, queue, tags, [clientId]]);
  }
}

async function keepsBytes(subject: Subject): Promise<void> {
  const uniqueKey = Uint8Array.from({ length: 32 }, (_, index) => [0, 255, 92, 39, 120][index % 5] ?? 0);
  const { id } = await subject.addOne({ ...unique(1, 255), uniqueKey });
  const { uniqueKey: stored, uniqueStates } = await subject.read(id);
  assert.ok(stored instanceof Uint8Array);
  assert.deepEqual([...stored], [...uniqueKey]);
  assert.equal(uniqueStates, 255);
}

async function keepsTimes(subject: Subject): Promise<void> {
  const times = [
    "2024-05-01T12:34:56.789499999Z",
    "2024-05-01T12:34:56.7895Z",
    "2024-05-01T12:34:56.9995Z",
    "2024-05-01T14:34:56.5+02:00",
    "2024-05-01T12:34:56Z",
    "2024-05-01T12:34:56.123456789Z",
    "1969-12-31T23:59:59.9995Z",
  ].map((text) => Temporal.Instant.from(text));
  for (const time of times) {
    const expected = subject.kept(time);
    const inserted = await subject.addOne({ scheduledAt: time });
    sameInstant(inserted.scheduledAt, expected);
    sameInstant((await subject.read(inserted.id)).scheduledAt, expected);
    const claimed = await subject.claimOne();
    const ended = endOf(claimed, { state: "discarded", finalizedAt: time, scheduledAt: time });
    await subject.settle(ended);
    const stored = await subject.read(inserted.id);
    for (const kept of [stored.finalizedAt, stored.scheduledAt]) sameInstant(kept, expected);
  }
}
