import { client } from "./stand-ins.ts";

await using run = await client.start(); process.once("SIGTERM", () => { void run.stop({ mode: "graceful", timeout: { seconds: 30 } }); }); await run.completed;
