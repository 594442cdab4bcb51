// Follows the client's events and shows how far the work is.
import type { Client } from "riverqueue";
import type { Display } from "./display.ts";
import { indexFile } from "./index-file-job.ts";

/** Counts files, whoever asks. */
export interface Progress {
  /** These jobs have files of this run. */
  readonly expect: (jobIds: readonly bigint[]) => void;
  /** The last job has been expected: from now on the total is right, and progress is shown. */
  readonly show: () => void;
}

/** Begins to follow. Ends when the client has stopped. */
export function watchProgress(client: Pick<Client, "subscribe">, display: Display): Progress {
  const waiting = new Set<bigint>();
  // Settled before they were expected: the walk tells of a batch after its commit, and quick jobs are done by then. Jobs
  // that an earlier run has left are here as well. Those that the walk finds indexed are never expected, and not counted.
  const early = new Set<bigint>();
  let total = 0;
  let isShown = false;
  const show = (): void => {
    if (isShown) display.progress(total - waiting.size, total);
  };
  const follow = async (): Promise<void> => {
    for await (const event of client.subscribe({ kinds: ["job_completed", "job_failed"], capacity: 10_000 })) {
      // Whoever reads too slowly loses the oldest events. Which jobs they told of is not known, so those stay uncounted:
      // better too few than too many.
      if (event.kind === "subscription_lag" || event.job.kind !== indexFile.kind) continue;
      // A failed attempt that is not the last settles nothing.
      if (event.kind !== "job_completed" && event.job.state !== "discarded") continue;
      if (!waiting.delete(event.job.id) && !isShown) early.add(event.job.id);
      show();
    }
  };
  void follow();
  return {
    expect: (jobIds) => {
      total += jobIds.length;
      for (const id of jobIds) if (!early.delete(id)) waiting.add(id);
    },
    show: () => {
      isShown = true;
      early.clear();
      show();
    },
  };
}
