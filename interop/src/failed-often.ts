/** Jobs that have failed many times already. */
import type { InteropWorld } from "./interop-test.ts";

const FAILED = '{"at":"2024-01-01T00:00:00Z","attempt":1,"error":"x","trace":""}';

/** Makes a pending job an available one with that many errors. */
export async function failOften({ backend, query }: InteropWorld, id: string, times: number): Promise<void> {
  const errors =
    backend === "postgres"
      ? `array_fill('${FAILED}'::jsonb, array[${times}])`
      : `jsonb('[${Array.from({ length: times }, () => FAILED).join(",")}]')`;
  await query(`UPDATE river_job SET state = 'available', errors = ${errors} WHERE id = ${id}`);
}
