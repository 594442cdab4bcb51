/** Growing pauses. */

/** How pauses grow. */
export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The pause before the try after `failures` failures, doubling, with up to a fifth of jitter either way. */
export function backOffMs({ firstMs, longestMs }: BackOff, failures: number): number {
  const plain = Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));
  return Math.round(Math.min(longestMs, plain * (0.8 + Math.random() * 0.4)));
}
