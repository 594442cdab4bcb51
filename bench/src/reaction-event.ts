/** The event of the measurements: one async command that does nothing. */
import { defineCommand, defineEvent, type EventType, on, type Policy } from "@riverqueue/reaction";

const schema = {
  "~standard": { version: 1, vendor: "bench", validate: (value: unknown) => ({ value: value as { n: number } }) },
} as const;

/** Something was measured. */
export const Measured: EventType<{ n: number }, { n: number }> = defineEvent({
  type: "measured",
  schema: schema as never,
});

const nothing = defineCommand({ name: "nothing", mode: "async", schema: schema as never, execute: () => {} });

/** Causes the command. */
export const measuredPolicy: Policy = on(Measured, ({ event }) => [nothing.with(event.payload as never)]);
