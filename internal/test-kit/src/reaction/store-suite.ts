/** What every store of events and commands must do, as tests that each home runs on its own. */
import test, { type TestContext } from "node:test";
import { STORE_UPKEEP_TESTS } from "./store-upkeep-tests.ts";
import type { StoreUnderTest } from "./store-values.ts";
import { STORE_WRITE_TESTS } from "./store-write-tests.ts";

/** Registers the suite; `open` is called once a test. */
export function reactionStoreTests(name: string, open: (t: TestContext) => Promise<StoreUnderTest>): void {
  for (const [title, body] of Object.entries({ ...STORE_WRITE_TESTS, ...STORE_UPKEEP_TESTS })) {
    void test(`${name}: ${title}`, async (t) => body(await open(t)));
  }
}
