/** The events and commands of the tests; what handlers do is told by the input. */
import {
  type Command,
  type CommandContext,
  type CommandOutcome,
  defineCommand,
  defineEvent,
  type EventType,
  failed,
  on,
  type Policy,
  succeeded,
} from "@riverqueue/reaction";
import { pollUntil } from "@riverqueue/internal-test-kit/poll-until";
import { z } from "zod";
import type { D1Binding } from "@riverqueue/reaction-cloudflare";

/** What handlers do: leave their effect, then succeed, or fail, or wait until row `release` is there. */
export interface Task {
  readonly name: string;
  readonly does?: "fail" | "ok" | "throw" | "wait" | undefined;
}

/** Payload of the event. */
export interface Plan {
  readonly tasks: Task[];
}

const task = z.object({ name: z.string(), does: z.enum(["fail", "ok", "throw", "wait"]).optional() });

/** Names the commands to run: `sync…` and `async…`. */
export const Planned: EventType<Plan, Plan> = defineEvent({
  type: "planned",
  schema: z.object({ tasks: z.array(task) }),
});

/** Commands `sync` and `async`, which leave a row per execution and count how often they ran, by name. */
export function plannedCommands(database: D1Binding): Readonly<Record<string, Command<Task>>> {
  const define = (name: string, mode: "async" | "sync"): Command<Task> =>
    defineCommand({ name, mode, schema: task, maxAttempts: 3, execute: (context) => work(database, context) });
  const commands: Record<string, Command<Task>> = { sync: define("sync", "sync"), async: define("async", "async") };
  for (const number of [1, 2]) commands[`async${number}`] = define(`async${number}`, "async");
  return commands;
}

/** Plans those that an event names. */
export function plannedPolicy(commands: Readonly<Record<string, Command<Task>>>): Policy {
  return on(Planned, ({ event }) =>
    event.payload.tasks.flatMap((each) => {
      const command = commands[each.name];
      return command === undefined ? [] : [command.with(each)];
    }),
  );
}

async function work(database: D1Binding, { input, executionId }: CommandContext<Task>): Promise<CommandOutcome | void> {
  await run(
    database,
    "insert into effect (execution_id, name, runs) values (?, ?, 1) on conflict do update set runs = runs + 1",
    executionId,
    input.name,
  );
  if (input.does === "throw") throw new Error("it throws");
  if (input.does === "fail") return failed({ code: "no", message: "it failed" });
  // The first attempt of all waits; the one that takes over from it goes on.
  if (input.does === "wait" && (await count(database, "select runs as count from effect where execution_id = ?", executionId)) === 1) {
    await released(database);
  }
  return succeeded({ result: { name: input.name } });
}

/** Resolves when row `release` is there. */
export async function released(database: D1Binding): Promise<void> {
  await pollUntil(async () => (await count(database, "select count(*) as count from effect where name = 'release'")) > 0);
}

async function count(database: D1Binding, text: string, ...values: string[]): Promise<number> {
  const [row] = await run(database, text, ...values);
  return Number((row as { readonly count: unknown }).count);
}

async function run(database: D1Binding, text: string, ...values: string[]): Promise<unknown[]> {
  const [result] = await database.batch([database.prepare(text).bind(...values)]);
  return result?.results ?? [];
}
