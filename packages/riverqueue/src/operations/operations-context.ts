/** What the operations of one client share: its driver, its surroundings, and how a call reaches a transaction. */
import type { DriverCall } from "../driver/call.ts";
import type { ClientDriver, RuntimeDriver } from "../driver/driver.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { Environment } from "../kit/environment.ts";
import { type DriverCapability, UnsupportedCapabilityError } from "../model/errors/unsupported-capability-error.ts";
import type { OptionProblems } from "../options/option-problems.ts";

/** See the file header. */
export interface OperationsContext<Tx> {
  readonly driver: ClientDriver<Tx>;
  readonly environment: Environment;
  /** Output that the attempt which is calling has recorded for its job `id` so far; undefined outside of one. */
  readonly recordedOutput?: ((id: bigint) => JsonValue | undefined) | undefined;
}

/** @throws UnsupportedCapabilityError when the driver only inserts. */
export function runtimeDriverOf<Tx>(context: OperationsContext<Tx>, capability: DriverCapability): RuntimeDriver<Tx> {
  const { driver } = context;
  if (isRuntimeDriver(driver)) return driver;
  throw new UnsupportedCapabilityError(driver.backend, capability);
}

function isRuntimeDriver<Tx>(driver: ClientDriver<Tx>): driver is RuntimeDriver<Tx> {
  return driver.canWork;
}

/** The driver's call arguments for an operation in `tx` as read by {@link readTx}, or on its own when there is none. */
export function driverCall<Tx>({ environment }: OperationsContext<Tx>, tx: unknown): DriverCall<Tx> {
  return {
    scope: tx === undefined ? undefined : { owner: "caller", tx: tx as Tx },
    now: environment.databaseNow?.(),
  };
}

/** Reads the option `tx`; that it is a transaction of the right database is checked by the driver. */
export function readTx(problems: OptionProblems, value: unknown): unknown {
  const isHandle = (typeof value === "object" && value !== null) || typeof value === "function";
  if (value !== undefined && !isHandle) problems.add("tx", "must be an open transaction");
  return value;
}
