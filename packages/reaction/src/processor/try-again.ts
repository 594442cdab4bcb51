/** Tries a step again after a pause. */
import { type BackOff, backOffMs } from "../kit/back-off.ts";
import type { Timing } from "../kit/timing.ts";
import { LifecycleError } from "../model/lifecycle-error.ts";

/** Runs `step` up to `tries` times; rejects with the last error. A step at the wrong moment is not tried again. */
export async function tryAgain<T>(
  timing: Timing,
  { tries, ...backOff }: BackOff & { readonly tries: number },
  step: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ;) {
    try {
      return await step();
    } catch (error) {
      failures++;
      if (failures >= tries || error instanceof LifecycleError) throw error;
    }
    await timing.pause(backOffMs(backOff, failures));
  }
}
