/** On which connections which verbs run. */
import type { PgRunner } from "./pg-runner.ts";

/** One runner each; outside of a runtime all are the same, on the application's pool or client. */
export interface Runners {
  /** Short statements that must not wait behind long ones: election, heartbeats, controls. */
  readonly control: PgRunner;
  /** Claims, completions and insertions. */
  readonly work: PgRunner;
  /** What may take long: statements and transactions of the leader, and extensions' statements in the background. */
  readonly maintenance: PgRunner;
}
