import assert from "node:assert/strict";
import test from "node:test";
import { postgresSettings } from "../src/database/postgres-settings.ts";
import { onlyPgVariables } from "./fixture/run-cli.ts";

const timeouts = (url: string | null, flag?: number): [number | undefined, number | undefined] => {
  const settings = postgresSettings(url, flag);
  return [settings.statement_timeout, settings.idle_in_transaction_session_timeout];
};
const read = (text: string) => timeouts(`postgres://h/d?statement_timeout=${encodeURIComponent(text)}`)[0];
const passedOn = (url: string | null) => postgresSettings(url, undefined).connectionString;

test("the statement timeout is the flag's, else the URL's, else 10 s", (t) => {
  onlyPgVariables(t, {});
  assert.deepEqual(timeouts("postgres://h/d"), [10_000, 11_000]);
  assert.deepEqual(timeouts(null), [10_000, 11_000]);
  assert.deepEqual(timeouts("postgres://h/d?statement_timeout=5s"), [5_000, 11_000]);
  assert.deepEqual(timeouts("postgres://h/d?statement_timeout=5s", 250), [250, 11_000]);
  assert.deepEqual(timeouts("postgres://h/d?idle_in_transaction_session_timeout=1min"), [10_000, 60_000]);
});

test("times in the URL have the units of Postgres", (t) => {
  onlyPgVariables(t, {});
  assert.deepEqual(
    ["5000", "250ms", "1.5s", "2 min", "1h", "1d", "1500us", "0"].map(read),
    [5_000, 250, 1_500, 120_000, 3_600_000, 86_400_000, 2, 0],
  );
  for (const text of ["", "5m", "soon", "-1"]) assert.throws(() => read(text), /must be a time such as/);
});

test("settings in options are left to the server, unless the flag says otherwise", (t) => {
  onlyPgVariables(t, {});
  const url = `postgres://h/d?options=${encodeURIComponent("-c statement_timeout=3s")}`;
  assert.deepEqual(timeouts(url), [undefined, 11_000]);
  assert.deepEqual(timeouts(url, 250), [250, 11_000]);
  process.env["PGOPTIONS"] = "-c idle_in_transaction_session_timeout=3s";
  assert.deepEqual(timeouts("postgres://h/d"), [10_000, undefined]);
});

test("the rest of the URL is left as it is", (t) => {
  onlyPgVariables(t, {});
  assert.equal(passedOn("postgres://u:p%20w@h:1/d"), "postgres://u:p%20w@h:1/d");
  assert.equal(passedOn("postgres://h/d?statement_timeout=1s"), "postgres://h/d");
  assert.equal(passedOn("postgres://h/d?a=1&statement_timeout=1s&b=x%26y"), "postgres://h/d?a=1&b=x%26y");
  assert.equal(passedOn(null), undefined);
});
