/** How the files of the suite hand over their tests. */
import type { Subject } from "./subject.ts";

/** Registers one test. */
export type ConformanceTest = (
  title: string,
  body: (subject: Subject) => Promise<void>,
  options?: ConformanceTestOptions,
) => void;

/** What a test asks of the database it runs on. */
export interface ConformanceTestOptions {
  /** Another session can hold one row while the driver writes others. */
  readonly needsRowLocks?: boolean;
}
