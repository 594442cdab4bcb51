import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { defineJob } from "../../src/definition/define-job.ts";
import { InsertFaults } from "../../src/definition/insert-faults.ts";
import type { InsertOptions } from "../../src/definition/insert-options.ts";
import type { JobDefinition } from "../../src/definition/job-definition.ts";
import { readInsertOptions } from "../../src/definition/read-insert-options.ts";
import { JobPreparer, type PeriodicOccurrence } from "../../src/insert/job-preparer.ts";
import { exactJsonNumber } from "../../src/json/exact-json-number.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";
import { PayloadValidationError } from "../../src/model/errors/payload-validation-error.ts";
import { REFUSED_KEY_VECTORS } from "./testdata/unique-key-vectors.ts";

const now = Temporal.Instant.from("2026-01-02T03:04:05.678Z");
const job = defineJob({ kind: "job" });
const paths = { job: "definition", args: "args", options: "" };

interface Call {
  readonly definition?: unknown;
  readonly args?: unknown;
  readonly options?: InsertOptions;
  readonly clientDefaults?: InsertOptions;
  readonly occurrence?: PeriodicOccurrence;
}

async function prepare({ definition = job, args = {}, options, clientDefaults, occurrence }: Call) {
  const preparer = new JobPreparer(readInsertOptions(new InsertFaults(), clientDefaults, ""), now);
  preparer.add({ definition, args, options, paths, ...(occurrence && { occurrence }) });
  const [prepared] = await preparer.finish();
  assert(prepared);
  return prepared;
}

function times({ row, scheduledAt }: Awaited<ReturnType<typeof prepare>>) {
  return { state: row.state, stored: row.scheduledAt?.toString() ?? null, effective: scheduledAt.toString() };
}

test("without options a job is available at the database's time", async () => {
  const { row, ...rest } = await prepare({});
  assert.deepEqual(row, {
    kind: "job",
    queue: "default",
    state: "available",
    priority: 1,
    maxAttempts: 25,
    args: "{}",
    metadata: "{}",
    tags: [],
    scheduledAt: null,
    uniqueKey: null,
    uniqueStates: null,
  });
  assert.equal(rest.durability, "default");
  assert.equal(rest.scheduledAt.toString(), now.toString());
});

test("a given time or delay makes it scheduled, past and zero included", async () => {
  const past = new Date(0);
  assert.deepEqual(times(await prepare({ options: { scheduledAt: past } })), {
    state: "scheduled",
    stored: "1970-01-01T00:00:00Z",
    effective: "1970-01-01T00:00:00Z",
  });
  assert.deepEqual(times(await prepare({ options: { delay: { seconds: 0 } } })), {
    state: "scheduled",
    stored: now.toString(),
    effective: now.toString(),
  });
  assert.equal(
    times(await prepare({ options: { delay: { days: 1, nanoseconds: 1 } } })).stored,
    "2026-01-03T03:04:05.678000001Z",
  );
});

test("pending wins over a time, which is kept", async () => {
  assert.deepEqual(times(await prepare({ options: { pending: true, scheduledAt: new Date(0) } })), {
    state: "pending",
    stored: "1970-01-01T00:00:00Z",
    effective: "1970-01-01T00:00:00Z",
  });
});

test("a delay beyond year 9999 is refused", async () => {
  await assert.rejects(prepare({ options: { delay: { days: 4_000_000 } } }), {
    name: "ValidationError",
    message: "delay leads to a time that must lie in the years 1 to 9999",
  });
});

test("an occurrence of a periodic job is available at its time and marked", async () => {
  const at = Temporal.Instant.from("2026-02-01T00:00:00Z");
  const definition = defineJob({ kind: "job", defaults: { metadata: { own: 1, periodic: "no" } } });
  const named = await prepare({ definition, occurrence: { at, periodicJobId: "nightly" } });
  assert.deepEqual(times(named), { state: "available", stored: at.toString(), effective: at.toString() });
  assert.equal(named.row.metadata, '{"own":1,"periodic":true,"river:periodic_job_id":"nightly"}');
  const unnamed = await prepare({ occurrence: { at, periodicJobId: null } });
  assert.equal(unnamed.row.metadata, '{"periodic":true}');
  const later = await prepare({ options: { scheduledAt: new Date(1) }, occurrence: { at, periodicJobId: null } });
  assert.deepEqual(times(later).state, "scheduled");
  const unique = { byPeriod: { hours: 1 } };
  const [one, two] = await Promise.all(
    ["00:00", "00:59"].map((time) =>
      prepare({
        options: { unique },
        occurrence: { at: Temporal.Instant.from(`2026-02-01T${time}:00Z`), periodicJobId: null },
      }),
    ),
  );
  assert.deepEqual(one?.row.uniqueKey, two?.row.uniqueKey);
});

test("a period counts from the time the job is scheduled for", async () => {
  const unique = { byPeriod: { hours: 1 } };
  const plain = await prepare({ options: { unique } });
  const sameHour = await prepare({ options: { unique, delay: { minutes: 50 } } });
  const nextHour = await prepare({ options: { unique, delay: { minutes: 56 } } });
  assert.deepEqual(plain.row.uniqueKey, sameHour.row.uniqueKey);
  assert.notDeepEqual(plain.row.uniqueKey, nextHour.row.uniqueKey);
});

test("what is stored is exactly what the producer passed, checked or not", async () => {
  const definition = defineJob({
    kind: "job",
    schema: z.object({ at: z.string().transform((text) => new Date(text)), n: z.number().default(1) }),
  });
  const { row } = await prepare({ definition, args: { at: "2026-01-01", extra: exactJsonNumber("9007199254740993") } });
  assert.equal(row.args, '{"at":"2026-01-01","extra":9007199254740993}');
});

test("a schema that changes what it is given changes nothing that is stored", async () => {
  const definition = defineJob({
    kind: "job",
    decode(value) {
      (value as Record<string, unknown>)["added"] = true;
      return value;
    },
  });
  const args = { a: 1 };
  assert.equal((await prepare({ definition, args })).row.args, '{"a":1}');
  assert.deepEqual(args, { a: 1 });
});

for (const { id, encodedArgs, keys } of REFUSED_KEY_VECTORS.filter((vector) => vector.id !== "U43")) {
  test(`${id} the insertion is refused with the key in the message`, async () => {
    const problems = keys.map(
      (key) =>
        `unique.byArgs: args key "${key}" cannot be used when all args are compared; list the paths to compare in byArgs`,
    );
    await assert.rejects(prepare({ args: JSON.parse(encodedArgs), options: { unique: { byArgs: true } } }), {
      name: "ValidationError",
      message: problems.join("; "),
    });
    assert(await prepare({ args: JSON.parse(encodedArgs), options: { unique: { byQueue: true } } }));
  });
}

test("an empty key and an array at the top are refused when all arguments are compared", async () => {
  await assert.rejects(prepare({ args: { "": 1 }, options: { unique: { byArgs: true } } }), {
    message:
      'unique.byArgs: args key "" cannot be used when all args are compared; list the paths to compare in byArgs',
  });
  await assert.rejects(prepare({ args: [1, 2], options: { unique: { byArgs: true } } }), {
    name: "JsonValueError",
    message: "args at $: expected an object, got an array",
  });
});

test("deleteOnComplete refuses unique options of the call or the client without written-out states", async () => {
  const definition = defineJob({ kind: "job", deleteOnComplete: true });
  const message = 'unique.byState must be written out, because jobs of kind "job" are deleted when completed';
  const unique = { byArgs: true } as const;
  await assert.rejects(prepare({ definition, options: { unique } }), { name: "ValidationError", message });
  await assert.rejects(prepare({ definition, clientDefaults: { unique } }), { name: "ValidationError", message });
  const byState = ["available", "pending", "running", "scheduled"] as const;
  assert(await prepare({ definition, options: { unique: { ...unique, byState } } }));
});

test("only what defineJob made can be inserted", async () => {
  await assert.rejects(prepare({ definition: { ...job } }), {
    name: "ValidationError",
    message: "definition must be made by defineJob",
  });
});

/** Adds items of several kinds of badness, as `insertMany` does. */
function prepareMany(items: readonly { definition?: JobDefinition; args?: unknown; options?: unknown }[]) {
  const preparer = new JobPreparer({}, now);
  items.forEach(({ definition = job, args = {}, options }, index) => {
    const at = `items[${index}]`;
    preparer.add({
      definition,
      args,
      options,
      paths: { job: `${at}.job`, args: `${at}.args`, options: `${at}.options` },
    });
  });
  return { preparer, finished: async () => preparer.finish() };
}

const strict = defineJob({ kind: "strict", schema: z.object({ to: z.string() }) });
const slow = defineJob({ kind: "slow", schema: z.object({ to: z.string().refine(async (to) => to === "ok") }) });

test("findings about several items are in one error, each with the path of its item", async () => {
  const { finished } = prepareMany([
    {},
    { args: { s: "\0" } },
    { definition: strict },
    { options: { queue: "", unique: { byArgs: ["1"] } } },
    { definition: slow, args: { to: "no" } },
  ]);
  await assert.rejects(finished(), (error) => {
    assert.equal((error as Error).name, "ValidationError");
    const { problems } = (error as { details: { problems: { path: string }[] } }).details;
    assert.deepEqual(
      problems.map(({ path }) => path),
      ["items[3].options.queue", "items[3].options.unique.byArgs:", "items[1].args", "items[2].args", "items[4].args"],
    );
    return true;
  });
});

test("findings of one class keep that class", async () => {
  const json = prepareMany([{ args: { s: "\0" } }, {}, { options: { metadata: { t: "\ud800" } } }]);
  await assert.rejects(json.finished(), (error) => {
    assert(error instanceof JsonValueError);
    assert.equal(error.path, "$.s");
    assert.match(error.message, /^items\[0\]\.args at \$\.s: .*; items\[2\]\.options\.metadata at \$\.t: /);
    return true;
  });
  const payload = prepareMany([{ definition: slow, args: { to: "no" } }, { definition: strict }]);
  await assert.rejects(payload.finished(), (error) => {
    assert(error instanceof PayloadValidationError);
    assert.equal(error.phase, "insert");
    assert.match(error.message, /items\[1\]\.args do not pass the schema of job kind "strict" at \$\.to/);
    assert.match(error.message, /items\[0\]\.args do not pass the schema of job kind "slow" at \$\.to/);
    return true;
  });
});

test("checks that are not asynchronous make no promise", () => {
  const { preparer } = prepareMany([{ definition: strict, args: { to: "ada" } }, {}]);
  assert(Array.isArray(preparer.finish()));
});

test("C04 __proto__ and constructor are data in arguments", async () => {
  const args: unknown = JSON.parse(
    '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"":1,"toString":"s"}',
  );
  const { row } = await prepare({ args, options: { unique: { byArgs: ["__proto__.isAdmin"] } } });
  assert.equal(row.args, '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"":1,"toString":"s"}');
  assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined);
});
