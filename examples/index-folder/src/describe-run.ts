// What a run says about itself while it goes.
import type { Client } from "riverqueue";
import type { Walk } from "./walk-folder.ts";

/** What the folder holds, compared with the last run. */
export function describeWalk({ found, waiting, removed }: Walk): string {
  const gone = removed === 0 ? "" : `, ${removed} gone since the last run`;
  return `Found ${found} ${found === 1 ? "file" : "files"}: ${waiting} to read, ${found - waiting} unchanged${gone}`;
}

/**
 * What a killed run has left, and why the summary may take a while for it: whatever the leader does has to wait until the
 * term of the killed one is over.
 *
 * @param client Not started yet.
 * @param takenOver Files whose jobs were abandoned.
 */
export async function describeKilledRun(client: Client, takenOver: number): Promise<string[]> {
  const lines: string[] = [];
  if (takenOver > 0) lines.push(`The last run was killed. New jobs for the files that it was reading: ${takenOver}.`);
  const leader = await client.inspect.leader();
  const left = leader === null ? 0 : Temporal.Now.instant().until(leader.expiresAt).total("seconds");
  if (left > 0) {
    lines.push(
      `The last run was killed while it led: scheduled jobs, the summary among them, wait for ${Math.ceil(left)} s.`,
    );
  }
  return lines;
}
