import type { TestContext } from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresMissing } from "@riverqueue/internal-test-kit/postgres-database";
import { reactionStoreTests } from "@riverqueue/internal-test-kit/reaction/store-suite";
import type { StoreUnderTest } from "@riverqueue/internal-test-kit/reaction/store-values";
import type { EmbeddedHomeOptions } from "@riverqueue/reaction/embedded";
import { openPostgresHome, openSqliteHome } from "../testdata/open-home.ts";

failOnLeaks();

type Open = (
  t: TestContext,
  options: Omit<EmbeddedHomeOptions<never>, "driver">,
) => Promise<{ readonly home: { readonly store: unknown } }>;

function opener(open: Open): (t: TestContext) => Promise<StoreUnderTest> {
  return async (t) => {
    let at = Date.parse("2026-01-02T03:04:05.678Z");
    const { home } = await open(t, { now: () => new Date(at) });
    return { store: home.store as StoreUnderTest["store"], advance: (ms) => (at += ms) };
  };
}

reactionStoreTests("SQLite", opener(openSqliteHome));
if (process.env["CI"] || postgresMissing() === false) reactionStoreTests("Postgres", opener(openPostgresHome));
