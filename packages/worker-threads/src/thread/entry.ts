/** What a thread of the pool runs. Does its work by being loaded; nobody imports it. */
import { parentPort } from "node:worker_threads";
import type { Introduction } from "../protocol/messages.ts";
import { registerSourceFallback } from "./source-fallback.ts";
import { TaskRunner } from "./task-runner.ts";

registerSourceFallback();
// The parent port is anybody's: handlers may post to it and listen on it, and nothing of it is heard after this message.
parentPort?.once("message", (introduction: Introduction) => new TaskRunner(introduction).begin());
