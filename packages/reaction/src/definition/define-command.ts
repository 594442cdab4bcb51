/** Commands: what is done because of an event, once. */
import type { WorkerCtx } from "../context/worker-ctx.ts";
import { type DurationInput, LONGEST_TIMER_MS, readDuration } from "../kit/duration.ts";
import { OptionProblems } from "../kit/option-problems.ts";
import type { CommandMode } from "../model/command-execution.ts";
import type { CommandOutcome } from "./outcome.ts";
import { isStandardSchema, type SchemaInput, type SchemaOutput, type StandardSchemaV1 } from "./standard-schema.ts";

/** What a handler gets. */
export interface CommandContext<Input = unknown> {
  /** What the schema made of the stored input. */
  readonly input: Input;
  /**
   * The same in every attempt and redelivery. Give it to third parties as idempotency key, and keep what you write
   * yourself unique by it: after a crash the attempt before may have done everything but say so.
   */
  readonly executionId: string;
  readonly eventId: string;
  /** From 1. */
  readonly attempt: number;
  /** Aborts at the command's timeout, and when the lease is lost. Pass it to what you await. */
  readonly signal: AbortSignal;
  readonly ctx: WorkerCtx;
}

/** Runs one attempt. Returning nothing is a success; throwing is a failure. */
export type CommandHandler<Input> = (
  context: CommandContext<Input>,
) => CommandOutcome | PromiseLike<CommandOutcome | undefined | void> | undefined | void;

/** A command to carry out, as policies return it. Made by {@link Command.with}. */
export interface PlannedCommand {
  readonly command: Command;
  readonly input: unknown;
}

/** A kind of command. Made by {@link defineCommand}. */
export interface Command<Input = never> {
  readonly name: string;
  readonly mode: CommandMode;
  /** Undefined: the processor's. */
  readonly maxAttempts: number | undefined;
  /** Milliseconds; undefined: the processor's. */
  readonly timeoutMs: number | undefined;
  readonly afterCrash: "retry" | "review";
  /** Name of the command that must not have failed; null for none. */
  readonly after: string | null;
  readonly schema: StandardSchemaV1;
  readonly execute: CommandHandler<unknown>;
  /** This command with its input, for a policy to return. The input is checked when the event is emitted. */
  with(input: Input): PlannedCommand;
}

/** Options of {@link defineCommand}. */
export interface CommandOptions<Schema extends StandardSchemaV1> {
  /** Stored, so it outlives the program: 1 to 128 letters, digits or `. _ - : /`. */
  readonly name: string;
  /** `sync`: in the emitting call chain. `async`: by the consumer of `async-policy-task`. */
  readonly mode: CommandMode;
  /** Any Standard Schema. */
  readonly schema: Schema;
  /** Attempts of the handler, 1 to 100; the processor's default, 3, unless given. Redeliveries of messages are counted apart. */
  readonly maxAttempts?: number | undefined;
  /**
   * How long one attempt may take; the processor's default, 30 s, unless given. It must be shorter than the processor's lease:
   * `createReaction`, or `emit` where a policy is the first to name the command, throws a ConfigurationError otherwise.
   */
  readonly timeout?: DurationInput | undefined;
  /** After a process died during an attempt: another attempt (`retry`, default), or wait for an operator (`review`). */
  readonly afterCrash?: "retry" | "review" | undefined;
  /** Skip this one when that command of the same event failed; it must run earlier. */
  readonly after?: Pick<Command, "name"> | undefined;
  readonly execute: CommandHandler<SchemaOutput<Schema>>;
}

const KNOWN = ["name", "mode", "schema", "maxAttempts", "timeout", "afterCrash", "after", "execute"];

/**
 * Defines a command.
 *
 * @throws ConfigurationError naming everything that is wrong with the options.
 */
export function defineCommand<Schema extends StandardSchemaV1>(
  options: CommandOptions<Schema>,
): Command<SchemaInput<Schema>> {
  const problems = new OptionProblems();
  const given = problems.object(options, "command", KNOWN);
  const { mode, afterCrash = "retry" } = given;
  const after = given["after"] as { readonly name?: unknown } | null | undefined;
  const name = problems.name(given["name"], "command.name");
  if (mode !== "sync" && mode !== "async") problems.add("command.mode", 'must be "sync" or "async"');
  if (!isStandardSchema(given["schema"])) problems.add("command.schema", "must be a Standard Schema");
  if (afterCrash !== "retry" && afterCrash !== "review") {
    problems.add("command.afterCrash", 'must be "retry" or "review"');
  }
  if (after !== undefined && typeof after?.name !== "string") {
    problems.add("command.after", "must be a command");
  }
  problems.function(given["execute"], "command.execute");
  const maxAttempts = problems.integer(given["maxAttempts"], "command.maxAttempts", undefined, { min: 1, max: 100 });
  const timeoutMs = readDuration(problems, given["timeout"], "command.timeout", undefined, {
    minMs: 1,
    maxMs: LONGEST_TIMER_MS,
  });
  problems.throwConfiguration();
  const command: Command<SchemaInput<Schema>> = Object.freeze({
    name,
    mode: options.mode,
    maxAttempts,
    timeoutMs,
    afterCrash: options.afterCrash ?? "retry",
    after: options.after?.name ?? null,
    schema: options.schema,
    execute: options.execute,
    with: (input: SchemaInput<Schema>): PlannedCommand => Object.freeze({ command: command, input }),
  });
  return command;
}
