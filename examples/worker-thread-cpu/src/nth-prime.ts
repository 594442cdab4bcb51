/** Something that takes the processor and gives nothing else a turn. */

/** Numbers that are looked at between two looks at the signal. */
const SLICE = 1_000;

/**
 * The prime number with this ordinal, by trial division.
 *
 * @throws the signal's reason when it aborts meanwhile.
 */
export function nthPrime(ordinal: number, signal: AbortSignal): number {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < ordinal; candidate++) {
    if (candidate % SLICE === 0) signal.throwIfAborted();
    if (isPrime(candidate, primes)) primes.push(candidate);
  }
  return primes.at(-1) ?? Number.NaN;
}

function isPrime(candidate: number, primes: readonly number[]): boolean {
  for (const prime of primes) {
    if (prime * prime > candidate) return true;
    if (candidate % prime === 0) return false;
  }
  return true;
}
