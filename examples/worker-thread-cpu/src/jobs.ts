/** The job: what it is called and what it takes. Whoever inserts it loads this module and no handler. */
import { defineJob, type JobDefinition } from "riverqueue";

/** What a job of {@link findPrime} takes. */
export interface FindPrimeArgs {
  /** Which prime to find: the first is 2. */
  readonly ordinal: number;
}

/** Finds the n-th prime number. */
export const findPrime: JobDefinition<FindPrimeArgs> = defineJob<FindPrimeArgs>()({ kind: "example.find_prime" });
