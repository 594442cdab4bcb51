/** A driver that can only insert, for what operations do before they reach a database. */
import type { InsertOnlyDriver } from "../../../src/driver/driver.ts";
import { environmentOf } from "../../../src/kit/environment.ts";
import type { OperationsContext } from "../../../src/operations/operations-context.ts";

const driver: InsertOnlyDriver<object> = {
  backend: "postgres",
  canWork: false,
  traits: { listens: false, singleWriter: false, schemas: true, timePrecision: "microseconds", outbox: false },
  jobs: {
    insert: () => Promise.reject(new Error("nothing is inserted here")),
  },
  transaction: () => Promise.reject(new Error("nothing is inserted here")),
};

/** Operations on it. */
export const insertOnlyContext: OperationsContext<object> = { driver, environment: environmentOf(undefined) };
