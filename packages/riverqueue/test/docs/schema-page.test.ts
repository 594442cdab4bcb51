import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";
import { FINALIZED_JOB_STATES, JOB_STATES } from "../../src/model/job-state.ts";
import { Page } from "./testdata/read-page.ts";
import { columnAndIndexNames, relationNames } from "./testdata/read-schema.ts";

const page = new Page("reference/sql-schema.md");

test("tables, columns and indexes on the page are those of a migrated database, both ways", async (t) => {
  const database = (await leaseSqliteDatabase(t)).open();
  const tables = relationNames(database, "river_");
  assert.deepEqual(page.sections.filter((title) => title.startsWith("river_")).toSorted(), tables);
  for (const table of tables) {
    assert.deepEqual(page.names(table).toSorted(), columnAndIndexNames(database, table), table);
  }
});

test("the statements on the page run", async (t) => {
  const database = (await leaseSqliteDatabase(t)).open();
  const [sql = ""] = /(?<=```sql\n)[^]*?(?=```)/.exec(page.text) ?? [];
  const statements = sql.split(";").filter((statement) => statement.trim() !== "");
  assert.equal(statements.length, 3);
  for (const statement of statements) assert.deepEqual(database.prepare(statement).all(), []);
});

test("the page of states has each state once, and says which are finalized", () => {
  const rows =
    new Page("reference/states.md").text
      .split("\n\n")
      .find((part) => part.startsWith("| State"))
      ?.split("\n") ?? [];
  const states = rows.flatMap((row) => /^\| `(\w+)`/.exec(row)?.[1] ?? []);
  assert.deepEqual(states.toSorted(), [...JOB_STATES]);
  const finalized = rows.filter((row) => row.includes("Finalized:")).flatMap((row) => /`(\w+)`/.exec(row)?.[1] ?? []);
  assert.deepEqual(finalized.toSorted(), [...FINALIZED_JOB_STATES]);
});

test("reserved metadata keys on the page are those that the sources write, both ways", () => {
  const packages = resolve(import.meta.dirname, "../../..");
  const sources = readdirSync(packages).flatMap((name) => {
    const folder = join(packages, name, "src");
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(join(folder, path), "utf8"));
  });
  const written = new Set(
    sources.flatMap(
      (text) => text.match(/(?<=["'`])river:[a-z]+(?:_[a-z]+)+(?=["'`])|(?<=["'`])river:degraded/g) ?? [],
    ),
  );
  const listed = new Page("reference/metadata-keys.md").names("Written by this client");
  assert.deepEqual(listed.filter((key) => key.startsWith("river:")).toSorted(), [...written].toSorted());
  const all = sources.join("\n");
  for (const key of listed) assert.ok(all.includes(key), key);
});
