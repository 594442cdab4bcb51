/** A test file that fails on purpose while it holds a lease. */
import test from "node:test";
import { leaseSqliteDatabase } from "@riverqueue/internal-test-kit";

test("fails", async (t) => {
  (await leaseSqliteDatabase(t)).open();
  throw new Error("on purpose");
});
