/** A day has ended: old receipts go. */
import { type Command, defineCommand, defineEvent, type EventType, on, type Policy } from "@riverqueue/reaction";
import { z } from "zod";
import { purgeReceipts } from "./shop-tables.ts";

type Day = { day: string };

const KEPT_MS = 365 * 86_400_000;

export const DayEnded: EventType<Day, Day> = defineEvent({
  type: "day.ended",
  schema: z.object({ day: z.iso.date() }),
});

export const purgeOldReceipts: Command<{ before: string }> = defineCommand({
  name: "purge_old_receipts",
  mode: "async",
  schema: z.object({ before: z.iso.datetime() }),
  execute: ({ input }) => purgeReceipts(new Date(input.before)),
});

export const dayPolicy: Policy = on(DayEnded, ({ event }) => {
  const before = new Date(Date.parse(event.payload.day) - KEPT_MS);
  return [purgeOldReceipts.with({ before: before.toISOString() })];
});
