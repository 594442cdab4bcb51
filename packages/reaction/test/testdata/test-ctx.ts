/** Contexts for tests, quiet unless listened to. */
import type { Logger, LogLevel, WorkerCtx, WorkerEntry } from "@riverqueue/reaction";
import { openHomeEntry } from "@riverqueue/reaction/home";

/** One call of a logger. */
export interface Logged {
  readonly level: LogLevel;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A logger that keeps what it is told. */
export function listeningLogger(): Logger & { readonly logged: Logged[] } {
  const logged: Logged[] = [];
  const level = (name: LogLevel) => (attributes: Logged["attributes"], message: string) =>
    void logged.push({ level: name, attributes, message });
  return { logged, debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
}

/** A context of an entry. */
export function testCtx(options: {
  readonly entry?: WorkerEntry;
  readonly logger?: Logger;
  readonly now?: () => Date;
} = {}): WorkerCtx {
  const { entry = "fetch", logger = listeningLogger(), now } = options;
  return openHomeEntry({ entry, env: {}, logger, now }).ctx;
}
