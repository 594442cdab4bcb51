// What the sample calls its application: a reaction on SQLite, with one event and the command that it causes.
import { DatabaseSync } from "node:sqlite";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { createMigrator } from "@riverqueue/migrate";
import { createReaction, defineCommand, defineEvent, on } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { z } from "zod";

const database = new DatabaseSync("reaction.db");
await createMigrator({ database }).migrateUp();
await createMigrator({ database }, { line: "reaction" }).migrateUp();
const home = createEmbeddedHome({ driver: new SqliteDriver(database) });

export const SomeEvent = defineEvent({ type: "some.event", schema: z.object({}) });
const note = defineCommand({ name: "note", mode: "sync", schema: z.object({}), execute: () => {} });

export const reaction = createReaction({ policies: [on(SomeEvent, () => [note.with({})])], ...home.parts });
export const workerCtx = home.workerCtx();
