/** The real driver with one observer between the runtime and its verbs, which may delay a call or fail it. */
import type { DatabaseSync } from "node:sqlite";
import type { SqliteDriver } from "@riverqueue/driver-sqlite";
import { DatabaseOperationError } from "../../src/model/errors/database-operation-error.ts";
import type { DriverCall } from "../../src/driver/call.ts";
import type { RuntimeDriver } from "../../src/driver/driver.ts";

/** Called in place of a verb of the runtime's session, such as `jobs.settle`. `proceed` runs the verb itself. */
export type Intercept = (
  verb: string,
  params: never,
  proceed: () => Promise<unknown>,
  call: DriverCall<DatabaseSync> | undefined,
) => unknown;

/** See the file header. Verbs outside the runtime's session are left alone. */
export function interceptedDriver(driver: SqliteDriver, intercept: Intercept): RuntimeDriver<DatabaseSync> {
  return new Proxy<RuntimeDriver<DatabaseSync>>(driver, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === "openSession") {
        return async (...needs: Parameters<SqliteDriver["openSession"]>) =>
          interceptedFacets(await driver.openSession(...needs), intercept);
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function interceptedFacets<Session extends object>(session: Session, intercept: Intercept): Session {
  return Object.fromEntries(
    Object.entries(session).map(([facet, verbs]) => [
      facet,
      typeof verbs === "function" ? verbs : interceptedVerbs(facet, verbs as object, intercept),
    ]),
  ) as Session;
}

function interceptedVerbs(facet: string, verbs: object, intercept: Intercept): object {
  return new Proxy(verbs, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name, target);
      // Names of tables are no verb: they come at once.
      if (typeof verb !== "function" || name === "tableName") return verb;
      return async (...args: unknown[]) =>
        intercept(
          `${facet}.${String(name)}`,
          args[0] as never,
          async () => verb.apply(target, args) as unknown,
          args[1] as DriverCall<DatabaseSync> | undefined,
        );
    },
  });
}

/** What the driver says of a failure of the given kind. */
export function databaseError(
  kind: "other" | "row" | "transient",
  operation: string = "jobs.settle",
): DatabaseOperationError {
  return new DatabaseOperationError(`${operation}: ${kind}`, {
    backend: "sqlite",
    operation,
    retryable: kind === "transient",
    details: { reason: kind, rowCaused: kind === "row" },
  });
}
