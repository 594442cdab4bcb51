/** Handlers get the arguments of their definition, whatever form it has, and the transaction type of their registry. */
import { z } from "zod";
import type { Equal } from "../definition/testdata/equal.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { complete } from "../../src/work/outcome.ts";
import type { currentWorkContext } from "../../src/work/current-work-context.ts";
import { Workers } from "../../src/work/workers.ts";

interface Tx {
  query(text: string): void;
}

const checked = defineJob({ kind: "checked", schema: z.object({ at: z.string().transform(Number) }) });
const decoded = defineJob({ kind: "decoded", decode: (value: JsonObject): Date => new Date(Number(value["at"])) });
const unchecked = defineJob({ kind: "unchecked" });

export const workers: Workers<Tx> = new Workers<Tx>()
  .add(checked, async ({ job, completeTx, resumable, signal, recordOutput }) => {
    true satisfies Equal<typeof job.args, { at: number }>;
    true satisfies Equal<typeof job.rawArgs, JsonObject>;
    await completeTx({ query() {} }, { output: 1 });
    // @ts-expect-error not a transaction of this registry
    await completeTx(5);
    await resumable.stepWithCursor<number>("s", (cursor) => void (true satisfies Equal<typeof cursor, number | null>));
    await resumable.stepWithCursor("s", (cursor: string | null) => void cursor);
    recordOutput({ aborted: signal.aborted });
    return complete();
  })
  .add(decoded, ({ job }) => void (true satisfies Equal<typeof job.args, Date>), {
    retryPolicy: (job, now) => now.add({ seconds: job.args.getTime() }),
  })
  .add(unchecked, { createWorkHandler: () => async () => {} }, { hooks: { afterWork: (_context, result) => result } });

// @ts-expect-error a handler for other arguments
new Workers<Tx>().add(decoded, ({ job }: { job: { args: number } }) => void job.args);

true satisfies Equal<ReturnType<typeof currentWorkContext>["job"]["args"], unknown>;
