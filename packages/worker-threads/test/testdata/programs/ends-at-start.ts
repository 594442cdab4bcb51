/** Preloaded: ends every thread before it can say anything. */
import { isMainThread } from "node:worker_threads";

if (!isMainThread) process.exit(6);
