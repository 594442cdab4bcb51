/** What a row says, asked for behind the backs of both sides. */
import type { InteropWorld } from "./interop-test.ts";

/** The state of a job. */
export async function storedState({ query }: InteropWorld, id: string): Promise<string> {
  return String((await query(`SELECT CAST(state AS text) AS state FROM river_job WHERE id = ${id}`))[0]?.["state"]);
}
