import { defineJob } from "riverqueue"; import { z } from "zod"; export const findPrime = defineJob({ kind: "example.find_prime", schema: z.object({ ordinal: z.number().int().positive() }), });

console.log(findPrime.kind);
