// Whatever is passed to what operators and entries call, a wrong value is refused with a typed error that names it.
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { createAsyncLogger, createReaction, readLogs } from "@riverqueue/reaction";
import { openSqliteHome } from "./testdata/open-home.ts";
import { testCtx } from "./testdata/test-ctx.ts";

failOnLeaks();

const ctx = testCtx();
const by = { by: "ana" };
const NOT_OBJECTS = [null, 5, "x", []];
const NOT_TEXT = [undefined, null, 5, {}, [], "\0", "\uD800"];
const NOT_TEXT_IF_GIVEN = NOT_TEXT.slice(1);
const NOT_DATES_IF_GIVEN = [null, 5, "2026-01-31", {}, [], new Date(NaN)];
const NOT_CONTEXTS = [undefined, null, 5, "x", {}, [], { ...ctx, now: 5 }, { ...ctx, logger: {} }];
const NOT_DAYS = [undefined, null, 5, {}, "yesterday", "2026-13-01", new Date()];
const NOT_LIMITS_IF_GIVEN = [null, 0, 1.5, "1", 100_000];

/** What is called, with what, and what the error says first. */
type Door = readonly [name: string, call: (value: never) => unknown, values: readonly unknown[], says: RegExp];

/** Lists with a filter of this member alone. */
const member = (name: string, list: (filter: never) => unknown) => (value: unknown) => list({ [name]: value } as never);

async function doors(t: Parameters<typeof openSqliteHome>[0]): Promise<readonly Door[]> {
  const { home } = await openSqliteHome(t);
  const { operations, logs, analytics } = createReaction({ policies: [], ...home.parts });
  assert.ok(logs !== null && analytics !== null);
  const range = { from: new Date(0), to: new Date(1) };
  const days = { from: "2026-01-01", to: "2026-01-31" };
  const listings = [
    ["listEvents", (filter: never) => operations.listEvents(filter)],
    ["listCommands", (filter: never) => operations.listCommands(filter)],
    ["listAlerts", (filter: never) => operations.listAlerts(filter)],
  ] as const;
  const counts = [
    ["countByDay", (counted: never) => analytics.countByDay(counted)],
    ["topPages", (counted: never) => analytics.topPages(counted)],
    ["topReferrers", (counted: never) => analytics.topReferrers(counted)],
    ["uniqueVisitors", (counted: never) => analytics.uniqueVisitors(counted)],
  ] as const;
  const actions = ["retryCommand", "markDone", "redispatchEvent"] as const;
  return [
    ...listings.flatMap(([name, list]): Door[] => [
      [name, list, NOT_OBJECTS, /^filter must be an object/],
      [`${name} from`, member("from", list), NOT_DATES_IF_GIVEN, /^filter\.from must be a valid Date/],
      [`${name} to`, member("to", list), NOT_DATES_IF_GIVEN, /^filter\.to must be a valid Date/],
      [`${name} limit`, member("limit", list), NOT_LIMITS_IF_GIVEN, /^filter\.limit must be an integer of 1 to 500/],
      [`${name} cursor`, member("cursor", list), NOT_TEXT_IF_GIVEN, /^filter\.cursor must/],
      [
        `${name} cursor of another`,
        member("cursor", list),
        ["", "x", "1_"],
        /^cursor must be the one of the page before/,
      ],
      [`${name} unknown`, list, [{ eventid: "1" }], /^filter\.eventid is not an option/],
    ]),
    [
      "listEvents slip",
      operations.listEvents.bind(operations),
      [{ stauts: "failed" }],
      /^filter\.stauts .*did you mean status/,
    ],
    ["listEvents type", member("type", listings[0][1]), NOT_TEXT_IF_GIVEN, /^filter\.type must/],
    [
      "listEvents status",
      member("status", listings[0][1]),
      [null, 5, "faild"],
      /^filter\.status must be one of pending, /,
    ],
    [
      "listCommands status",
      member("status", listings[1][1]),
      [null, 5, "done"],
      /^filter\.status must be one of pending, /,
    ],
    ["listCommands mode", member("mode", listings[1][1]), [null, "sink"], /^filter\.mode must be one of sync, async/],
    ["listCommands key", member("idempotencyKey", listings[1][1]), NOT_TEXT_IF_GIVEN, /^filter\.idempotencyKey must/],
    [
      "listAlerts severity",
      member("severity", listings[2][1]),
      [null, "low"],
      /^filter\.severity must be one of high, warning/,
    ],
    ["getEvent", (id) => operations.getEvent(id), NOT_TEXT, /^eventId must/],
    ...actions.flatMap((name): Door[] => [
      [`${name} ctx`, (value) => operations[name](value, "id", by), NOT_CONTEXTS, /^ctx(?:\.logger)? must/],
      [`${name} id`, (value) => operations[name](ctx, value, by), NOT_TEXT, /^(?:command|event)Id must/],
      [
        `${name} options`,
        (value) => operations[name](ctx, "id", value),
        [undefined, ...NOT_OBJECTS],
        /^options must be an object/,
      ],
      [
        `${name} by`,
        (value) => operations[name](ctx, "id", { by: value }),
        [...NOT_TEXT, "", " "],
        /^options\.by must/,
      ],
      [
        `${name} unknown`,
        (value) => operations[name](ctx, "id", value),
        [{ ...by, reason: "" }],
        /^options\.reason is not/,
      ],
    ]),
    ["logs.createLogger", (value) => logs.createLogger(value), NOT_OBJECTS, /^options must be an object/],
    ["logs.read", (value) => logs.read(value), [undefined, ...NOT_OBJECTS], /^range must be an object/],
    [
      "logs.read from",
      (value) => logs.read({ ...range, from: value }),
      [undefined, ...NOT_DATES_IF_GIVEN],
      /^range\.from must/,
    ],
    [
      "logs.read to",
      (value) => logs.read({ ...range, to: value }),
      [undefined, ...NOT_DATES_IF_GIVEN],
      /^range\.to must/,
    ],
    [
      "logs.read order",
      (from) => logs.read({ ...range, from }),
      [new Date(2)],
      /^range\.from must not be after range\.to/,
    ],
    ["logs.read limit", (limit) => logs.read({ ...range, limit }), NOT_LIMITS_IF_GIVEN, /^range\.limit must be/],
    [
      "logs.read cursor",
      (cursor) => logs.read({ ...range, cursor }),
      [null, 5, "", "x", "[1]"],
      /^range\.cursor must be/,
    ],
    ["logs.read unknown", (value) => logs.read(value), [{ ...range, level: "info" }], /^range\.level is not an option/],
    [
      "readLogs store",
      (store) => readLogs(store, range),
      [undefined, null, 5, {}],
      /^store must have functions get and list/,
    ],
    ...counts.flatMap(([name, count]): Door[] => [
      [name, count, [undefined, ...NOT_OBJECTS], /^range must be an object/],
      [`${name} from`, (from: unknown) => count({ ...days, from } as never), NOT_DAYS, /^range\.from must be a day/],
      [`${name} to`, (to: unknown) => count({ ...days, to } as never), NOT_DAYS, /^range\.to must be a day/],
      [`${name} unknown`, count, [{ ...days, form: "x" }], /^range\.form is not an option/],
    ]),
    ["topPages name", (name) => analytics.topPages({ ...days, name }), NOT_TEXT_IF_GIVEN, /^range\.name must/],
    ["topPages limit", (limit) => analytics.topPages({ ...days, limit }), NOT_LIMITS_IF_GIVEN, /^range\.limit must be/],
    ["track ctx", (value) => analytics.track(value, {}), NOT_CONTEXTS, /^ctx(?:\.logger)? must/],
    ["track", (value) => analytics.track(ctx, value), [undefined, ...NOT_OBJECTS], /^event must be an object/],
    ["track visitor", (visitor) => analytics.track(ctx, { visitor }), [...NOT_OBJECTS, {}], /^event\.visitor must/],
    [
      "track userAgent",
      (userAgent) => analytics.track(ctx, { visitor: { address: "192.0.2.1", userAgent } }),
      [null, 5, {}],
      /^event\.visitor\.userAgent must be text/,
    ],
    [
      "createAsyncLogger",
      (options) => createAsyncLogger(options),
      [undefined, ...NOT_OBJECTS],
      /^options must be an object/,
    ],
    [
      "createAsyncLogger queue",
      (queue) => createAsyncLogger({ queue }),
      [undefined, null, 5, {}],
      /^options\.queue must/,
    ],
    [
      "createAsyncLogger slip",
      (value) => createAsyncLogger(value),
      [{ flushsize: 1 }],
      /flushsize .*did you mean flushSize/,
    ],
  ];
}

const describe = (value: unknown): string => JSON.stringify(value) ?? "undefined";

test("a wrong value is refused with an error that names it, at every door of operators, logs and analytics", async (t) => {
  for (const [name, call, values, says] of await doors(t)) {
    for (const value of values) {
      const refused = Promise.try(() => call(value as never));
      await assert.rejects(
        refused,
        (error: Error & { code?: string }) => {
          const given = `${name}: ${describe(value)} gave ${error.name}: ${error.message}`;
          assert.ok(error.code === "validation" || error.code === "configuration", given);
          assert.match(error.message, says, given);
          return true;
        },
        `${name}: ${describe(value)}`,
      );
    }
  }
});
