/**
 * The client's channels in `node:diagnostics_channel`, for instrumentation that is not part of the application. Node
 * turns what a subscriber of a channel throws into an uncaught exception of the process.
 */
import { type Channel, channel } from "node:diagnostics_channel";

/** `riverqueue:event`: every {@link RiverEvent} of every client of this process, after commit. */
export const eventChannel: Channel = channel("riverqueue:event");

/** `riverqueue:metric`: every {@link RiverMetric}. */
export const metricChannel: Channel = channel("riverqueue:metric");

/** `riverqueue:work`: `{ context, result }` of every attempt, before its result is persisted. */
export const workChannel: Channel = channel("riverqueue:work");
