/** JS-107: `WorkOutcome` is exactly the union of the four outcome types, and only their functions make them. */
import type { Equal } from "../definition/testdata/equal.ts";
import {
  type cancel,
  type CancelOutcome,
  complete,
  type CompleteOutcome,
  discard,
  type DiscardOutcome,
  snooze,
  type SnoozeOutcome,
  type WorkOutcome,
  type WorkHandler,
} from "../../src/index.ts";

true satisfies Equal<WorkOutcome, CancelOutcome | CompleteOutcome | DiscardOutcome | SnoozeOutcome>;
true satisfies Equal<ReturnType<typeof complete>, CompleteOutcome>;
true satisfies Equal<ReturnType<typeof snooze>, SnoozeOutcome>;
true satisfies Equal<ReturnType<typeof discard>, DiscardOutcome>;
true satisfies Equal<ReturnType<typeof cancel>, CancelOutcome>;
true satisfies Equal<WorkOutcome["type"], "cancel" | "complete" | "discard" | "snooze">;

const accept = (_handler: WorkHandler): void => {};

accept(() => {});
accept(async () => {});
accept(() => snooze({ seconds: 1 }));
accept(async ({ job }) => (job.attempt > 1 ? discard() : complete({ output: 1 })));
// @ts-expect-error a look-alike is no outcome
accept(() => ({ type: "complete" }));
// @ts-expect-error the result of a query is no outcome
accept(async () => [1, 2, 3]);
