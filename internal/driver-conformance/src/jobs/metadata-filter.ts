/** What "contains" means for metadata: that of Postgres's `@>`, on every database. */
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { JobRecord } from "riverqueue/driver";
import type { ConformanceTest } from "../conformance-test.ts";
import { containsJson, readExactJson } from "../exact-json.ts";
import type { Subject } from "../subject.ts";

const RUNS = 60;

const STORED =
  '{"a":{"b":1,"c":[1,"x",{"k":true}]},"n":1.50,"big":9007199254740993,"z":null,"s":"text","e":{},"f":[],' +
  '"__proto__":{"p":1},"neg":-0,"we\\"ird.$key":1,"":2}';

const CONTAINED = [
  "{}",
  '{"a":{}}',
  '{"a":{"b":1.0}}',
  '{"a":{"c":["x"]}}',
  '{"a":{"c":[{"k":true},1e0]}}',
  '{"a":{"c":[{}]}}',
  '{"a":{"c":[]}}',
  '{"a":{"c":[1,1,1]}}',
  '{"n":15e-1,"z":null}',
  '{"big":9007199254740993}',
  '{"s":"text","e":{},"f":[]}',
  '{"__proto__":{"p":1}}',
  '{"neg":0.0}',
  '{"we\\"ird.$key":1,"":2}',
];

const NOT_CONTAINED = [
  '{"a":{"b":2}}',
  '{"a":{"c":"x"}}',
  '{"a":[]}',
  '{"big":9007199254740992}',
  '{"s":"Text"}',
  '{"z":0}',
  '{"z":false}',
  '{"n":"1.5"}',
  '{"e":[]}',
  '{"f":[1]}',
  '{"f":{}}',
  '{"toString":{}}',
  '{"a":{"c":[[1]]}}',
  '{"a.b":1}',
  '{"we":1}',
];

export function metadataFilterTests(test: ConformanceTest): void {
  test("objects are contained by key, arrays as sets, scalars by type and value", containsExamples);
  test("a search in metadata finds what the model finds", findsByTheModel);
  test("a search in metadata goes through many jobs, in order, up to its limit", searchesMany);
}

async function find(subject: Subject, metadata: string): Promise<bigint[]> {
  const params = { filter: {}, sortBy: "id", descending: false, after: null, limit: 1_000, metadata } as const;
  return (await subject.jobs.list(params)).map(({ id }) => id);
}

async function containsExamples(subject: Subject): Promise<void> {
  const [full, empty] = await subject.add({ metadata: STORED }, {});
  for (const part of CONTAINED) assert.equal((await find(subject, part))[0], full?.id, part);
  for (const part of NOT_CONTAINED) assert.deepEqual(await find(subject, part), [], part);
  assert.deepEqual(await find(subject, "{}"), [full?.id, empty?.id]);
}

/** Few keys and values, so that parts are often found. Texts, to have numbers of every size and writing. */
const { object } = fc.letrec<{ readonly object: string; readonly value: string }>((tie) => ({
  object: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value"), { maxKeys: 2 }).map(
    (members) =>
      `{${Object.entries(members)
        .map(([key, value]) => `"${key}":${value}`)
        .join(",")}}`,
  ),
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "1",
      "1.0",
      "10e-1",
      "2",
      "9007199254740993",
      "9007199254740992.0",
      "null",
      "true",
      '"a"',
      '"1"',
      "0",
    ),
    tie("object"),
    fc.array(tie("value"), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
  ),
}));

async function findsByTheModel(subject: Subject): Promise<void> {
  const stored = fc.sample(object, { numRuns: 150, seed: 1 });
  const jobs: JobRecord[] = await subject.add(...stored.map((metadata) => ({ metadata })));
  const property = fc.asyncProperty(object, async (part) => {
    const expected = jobs.filter((_, index) => containsJson(readExactJson(stored[index] ?? ""), readExactJson(part)));
    assert.deepEqual(
      await find(subject, part),
      expected.map(({ id }) => id),
    );
  });
  await fc.assert(property, { numRuns: RUNS });
}

async function searchesMany(subject: Subject): Promise<void> {
  const jobs = await subject.add(
    ...Array.from({ length: 1_000 }, (_, index) => ({ metadata: index % 300 === 299 ? '{"hit":1}' : "{}" })),
  );
  const ids = [299, 599, 899].map((index) => jobs[index]?.id);
  assert.deepEqual(await find(subject, '{"hit":1}'), ids);
  const params = { filter: {}, metadata: '{"hit":1}', sortBy: "scheduledAt", descending: true, after: null } as const;
  const [last, before] = await subject.jobs.list({ ...params, limit: 2 });
  assert.deepEqual([last?.id, before?.id], [ids[2], ids[1]]);
  const after = { id: before?.id ?? 0n, time: before?.scheduledAt ?? null };
  assert.deepEqual(
    (await subject.jobs.list({ ...params, after, limit: 2 })).map(({ id }) => id),
    [ids[0]],
  );
}
