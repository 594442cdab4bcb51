// Follows the client's events and shows how far the work is.
import type { Client } from "riverqueue";
import type { Display } from "./display.ts";
import { indexFile } from "./index-file-job.ts";

/** Counts files, whoever asks. */
export interface Progress {
  /** More files have a job. */
  readonly expect: (files: number) => void;
  /** The last file has been expected: from now on the total is right, and progress is shown. */
  readonly show: () => void;
}

/** Begins to follow. Ends when the client has stopped. */
export function watchProgress(client: Client, display: Display): Progress {
  let done = 0;
  let expected = 0;
  let isShown = false;
  const show = (): void => {
    // Jobs of another folder, left by an earlier run, are worked as well.
    if (isShown) display.progress(done, Math.max(done, expected));
  };
  const follow = async (): Promise<void> => {
    for await (const event of client.subscribe({ kinds: ["job_completed", "job_failed"], capacity: 10_000 })) {
      // Whoever reads too slowly loses the oldest events and is told how many.
      if (event.kind === "subscription_lag") done += event.dropped;
      else if (event.job.kind !== indexFile.kind) continue;
      // A failed attempt that is not the last settles nothing.
      else if (event.kind === "job_completed" || event.job.state === "discarded") done++;
      show();
    }
  };
  void follow();
  return {
    expect: (files) => {
      expected += files;
    },
    show: () => {
      isShown = true;
      show();
    },
  };
}
