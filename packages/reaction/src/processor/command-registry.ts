/**
 * Knows the definitions of commands by name. They become known when a policy returns them; a consumer that meets a command
 * of an event it did not emit asks the policies about that event.
 */
import type { Command, PlannedCommand } from "../definition/define-command.ts";
import type { ReactionEvent } from "../definition/define-event.ts";
import type { Policy } from "../definition/policy.ts";
import type { Logger } from "../logging/logger.ts";
import { ConfigurationError } from "../model/configuration-error.ts";
import type { EventExecution } from "../model/event-execution.ts";
import { inRunOrder } from "./run-order.ts";

/** See the file header. */
export class CommandRegistry {
  readonly #policies: ReadonlyMap<string, readonly Policy[]>;
  readonly #commands = new Map<string, Command>();
  #names: readonly string[] = [];

  readonly #leaseMs: number;

  /** @throws ConfigurationError for a command that cannot be run here. */
  constructor(policies: readonly Policy[], commands: readonly Command[], leaseMs: number) {
    this.#leaseMs = leaseMs;
    this.#policies = Map.groupBy(policies, ({ type }) => type);
    for (const command of commands) this.#learn(command);
  }

  /**
   * What the policies want done for the event, in order.
   *
   * @throws whatever a policy throws; ConfigurationError for what is no command, a name that two commands have, a timeout
   *   that is not shorter than the lease, or an `after` that runs later.
   */
  async plan(event: ReactionEvent): Promise<readonly PlannedCommand[]> {
    const planned: PlannedCommand[] = [];
    for (const { decide } of this.#policies.get(event.type) ?? []) planned.push(...readPlan(await decide({ event })));
    for (const { command } of planned) this.#learn(command);
    refuseBadOrder(planned);
    return planned;
  }

  /** Names of the commands that are known by now; the same list until there are more. */
  get names(): readonly string[] {
    if (this.#names.length < this.#commands.size) this.#names = Object.freeze([...this.#commands.keys()]);
    return this.#names;
  }

  /** The command of this name, for a stored event; undefined when no policy returns it. Never rejects: why is logged. */
  async find(name: string, event: EventExecution, logger: Pick<Logger, "warn">): Promise<Command | undefined> {
    const known = this.#commands.get(name);
    if (known !== undefined) return known;
    try {
      for (const { decide, eventType } of this.#policies.get(event.type) ?? []) {
        const { type, idempotencyKey, version, occurredAt } = event;
        const payload = eventType.read(event);
        const payloadText = JSON.stringify(event.payload);
        const planned = await decide({ event: { type, idempotencyKey, version, payload, payloadText, occurredAt } });
        for (const { command } of readPlan(planned)) this.#learn(command);
      }
    } catch (error) {
      // A policy that cannot be asked about an old event is one that does not know the command.
      logger.warn({ error, eventId: event.id, command: name }, "the policies could not be asked for a command");
    }
    return this.#commands.get(name);
  }

  #learn(command: Command): void {
    const known = this.#commands.get(command.name);
    if (known !== undefined && known !== command) {
      throw new ConfigurationError(`two commands have the name ${JSON.stringify(command.name)}`);
    }
    if (command.timeoutMs !== undefined && command.timeoutMs >= this.#leaseMs) {
      throw new ConfigurationError(
        `command ${JSON.stringify(command.name)} has a timeout of ${command.timeoutMs} ms, which must be shorter than ` +
          `the lease of ${this.#leaseMs} ms`,
      );
    }
    this.#commands.set(command.name, command);
  }
}

function readPlan(planned: unknown): readonly PlannedCommand[] {
  const isPlan =
    Array.isArray(planned) &&
    planned.every((each) => typeof (each as PlannedCommand | null)?.command?.execute === "function");
  if (isPlan) return planned as PlannedCommand[];
  throw new ConfigurationError("a policy must return a list of commands made by with()");
}

function refuseBadOrder(planned: readonly PlannedCommand[]): void {
  const order = inRunOrder(planned.map(({ command }) => command));
  for (const [index, { name, after }] of order.entries()) {
    const target = after === null ? -1 : order.findLastIndex((command) => command.name === after);
    if (target >= index) {
      throw new ConfigurationError(`command ${JSON.stringify(name)} must run later than ${JSON.stringify(after)}`);
    }
  }
}
