/**
 * What a client takes from its surroundings: time, chance and instrumentation. Applications never see it; tests attach
 * one to an options object before constructing the client.
 */
import type { Clock } from "./clock.ts";
import { systemClock } from "./clock.ts";

/** Surroundings of one client. */
export interface Environment {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Clock handed to the database in place of its own; absent in production. */
  readonly databaseNow: (() => Temporal.Instant) | null;
  /** Told about steps that have no event of their own, such as the stages of a shutdown. */
  readonly probe: (step: string) => void;
}

const production: Environment = Object.freeze({
  clock: systemClock,
  random: Math.random,
  databaseNow: null,
  probe: () => {},
});

const attached = new WeakMap<object, Environment>();

/** Makes clients constructed with exactly this options object use `environment`, completed by production's parts. */
export function attachEnvironment<Options extends object>(
  options: Options,
  environment: Partial<Environment>,
): Options {
  attached.set(options, { ...production, ...environment });
  return options;
}

/** The environment attached to `options`, or production's. */
export function environmentOf(options: object | undefined): Environment {
  return (options === undefined ? undefined : attached.get(options)) ?? production;
}
