/** Resumable steps over a whole job: however its attempts fail, what was finished is not done again. */
import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { parseJsonObject } from "../../src/json/parse-json.ts";
import { ResumableProgress } from "../../src/work/resumable-progress.ts";
import { StagedMetadata } from "../../src/work/staged-metadata.ts";

/** Runs attempts over `steps` until one succeeds; `failures` says before which units of work an attempt fails. */
async function workOff(steps: readonly number[], failures: Iterator<number>): Promise<string[]> {
  const done: string[] = [];
  let stored = "{}";
  for (;;) {
    let budget: number = failures.next().value ?? Number.POSITIVE_INFINITY;
    const spend = (): void => {
      if (budget-- <= 0) throw new Error("failed");
    };
    const progress = new ResumableProgress<never>(parseJsonObject(stored), {
      assertRunning: () => {},
      writeMetadata: () => assert.fail("no checkpoint is made"),
    });
    try {
      for (const [index, units] of steps.entries()) {
        const name = `step ${index}`;
        if (units === 0) {
          await progress.step(name, () => {
            spend();
            done.push(name);
          });
          continue;
        }
        await progress.stepWithCursor<number>(name, (cursor) => {
          for (let unit = cursor ?? 0; unit < units; unit++) {
            spend();
            done.push(`${name}.${unit}`);
            progress.setCursor(unit + 1);
          }
        });
      }
      progress.resultOf(undefined);
      return done;
    } catch (error) {
      assert.equal((error as Error).message, "failed");
      const staged = new StagedMetadata();
      progress.stage(staged);
      const merged = { ...JSON.parse(stored), ...JSON.parse(staged.text() ?? "{}") };
      stored = JSON.stringify(merged);
    }
  }
}

test("each unit of work is done exactly once and in order, however the attempts fail", async () => {
  const steps = fc.array(fc.nat(4), { maxLength: 6 });
  const budgets = fc.array(fc.nat(6), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, budgets, async (plan, failures) => {
      const expected = plan.flatMap((units, index) =>
        units === 0 ? [`step ${index}`] : Array.from({ length: units }, (_, unit) => `step ${index}.${unit}`),
      );
      assert.deepStrictEqual(await workOff(plan, failures.values()), expected);
    }),
    { numRuns: 300 },
  );
});
