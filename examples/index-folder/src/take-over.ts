// What a killed run has left: jobs that are `running`, though nobody works them. River's rescuer would give them another
// attempt once they have run for too long. Here nobody else works on the database, so that is certain at once, and a
// file whose process was killed does not lose one of its three attempts by that.
import type { Client } from "riverqueue";
import { toInsertion } from "./enqueue-files.ts";
import type { IndexDatabase } from "./index-database.ts";
import { indexFile } from "./index-file-job.ts";

/**
 * Gives the files of abandoned jobs to new jobs. The old ones are marked as cancelled, which lets the rescuer finalize
 * them, and could not write results any more even if somebody worked them after all.
 *
 * @param client Not started yet.
 * @returns the number of files that have a new job.
 */
export async function takeOver(client: Client, database: IndexDatabase): Promise<number> {
  let taken = 0;
  let after: string | null = null;
  do {
    const page = await client.jobs.list({
      kinds: [indexFile.kind],
      states: ["running"],
      after: after ?? undefined,
    });
    await database.write(async (tx, files) => {
      for (const { id } of page.jobs) {
        const file = await files.findByJob(id);
        // Marked by an earlier run that was killed in its turn before the rescuer came.
        if (file === null) continue;
        const { job, args } = toInsertion(file);
        const { job: next } = await client.insert(job, args, { tx });
        await files.assignJobs([{ fileId: file.id, jobId: next.id }]);
        await client.jobs.cancel(id, { tx });
        taken++;
      }
    });
    after = page.nextCursor;
  } while (after !== null);
  return taken;
}
