/** The search for secrets: it finds them wherever an error can carry them, and takes prose for what it is. */
import assert from "node:assert/strict";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { onPostgres } from "../src/database.ts";
import { CANARY, Leaks } from "../src/leaks.ts";

failOnLeaks();

const hidden = Object.defineProperty(new Error("plain"), "where", { value: CANARY.args, enumerable: false });
const computed = Object.defineProperty(new Error("plain"), "query", { get: () => `x ${CANARY.output}` });

for (const [where, value] of Object.entries({
  "a message": new Error(`row ${CANARY.args}`),
  "a cause of a cause": new Error("a", { cause: new Error("b", { cause: { detail: CANARY.password } }) }),
  "a hidden property": hidden,
  "a property that is computed": computed,
  "an aggregated error": new AggregateError([new Error(CANARY.tag)], "several"),
  "an attribute deep in a log entry": { attributes: { a: [{ b: new Map([["c", CANARY.metadata]]) }] } },
  "the text of a statement": new Error("SELECT id"),
  "a fragment of a statement": "job.id = ANY ($1::bigint[])",
})) {
  test(`a secret in ${where} is found`, () => {
    const leaks = new Leaks();
    leaks.look(where, value);
    assert.throws(() => leaks.assertNone(), { code: "ERR_ASSERTION" });
  });
}

test("prose is no statement, and nothing at all is no proof", () => {
  const leaks = new Leaks();
  assert.throws(() => leaks.assertNone());
  leaks.look("prose", new Error("claiming jobs failed; select another value from the list where it is offered"));
  leaks.assertNone();
});

onPostgres("an error of the database as pg throws it is full of secrets", async (_, lease) => {
  const leaks = new Leaks();
  await leaks.failure("a bad cast", () => lease.query(`SELECT '${CANARY.args}'::int`));
  assert.throws(() => leaks.assertNone(), { code: "ERR_ASSERTION" });
});
