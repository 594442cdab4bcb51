/** What happens where something is missing that a step of continuous integration needs. */

/** Whether this is continuous integration: the variable `CI` is set and not empty. */
export const isCi: boolean = Boolean(process.env["CI"]);

/** Prints the reason and ends the process: as a failure in continuous integration, elsewhere as a step that is skipped. */
export function skipOrFail(step: string, reason: string): never {
  console.log(`${isCi ? "failed" : "skipped"}: ${step}: ${reason}`);
  process.exit(isCi ? 1 : 0);
}
