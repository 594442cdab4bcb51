/** The conformance suite for drivers: `conform` registers it for one database. */
export type {
  BackendUnderTest,
  BlockedReads,
  Damage,
  DriverUnderTest,
  OpenTransaction,
  QueueDamage,
  RawDatabase,
  UnusableHandle,
} from "./backend-under-test.ts";
export { conform } from "./conform.ts";
