/** The columns of `river_queue` in the order that `queueRecord` reads. */
import { readableJson } from "../jobs/columns.ts";

export const QUEUE_COLUMNS: string = `name, ${readableJson("metadata")}, created_at, updated_at, paused_at`;
