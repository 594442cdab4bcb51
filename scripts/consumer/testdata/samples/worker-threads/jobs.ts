import { defineJob } from "riverqueue";
import { z } from "zod";

export const findPrime = defineJob({
  kind: "example.find_prime",
  schema: z.object({ ordinal: z.number().int().positive() }),
});

export const resizeImage = defineJob({
  kind: "resize_image",
  schema: z.object({ width: z.number().int() }),
});
