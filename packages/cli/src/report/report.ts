/** Writes to the two output streams: results to the one, errors and log lines to the other. */
import type { TextOutput } from "../run-options.ts";
import { maskSecrets } from "./mask-secrets.ts";

/** From which level on log lines are written. */
export type LogLevel = "warning" | "info" | "debug";

const ORDER: readonly LogLevel[] = ["warning", "info", "debug"];

/** See the file header. */
export class Report {
  readonly #program: string;
  readonly #stdout: TextOutput;
  readonly #stderr: TextOutput;
  level: LogLevel = "warning";

  constructor(program: string, stdout: TextOutput, stderr: TextOutput) {
    this.#program = program;
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  /** One or more lines of result. */
  print(text: string): void {
    this.#stdout.write(`${text}\n`);
  }

  error(message: string): void {
    this.#complain(`${this.#program}: ${message}`);
  }

  log(level: LogLevel, message: string): void {
    if (ORDER.indexOf(level) <= ORDER.indexOf(this.level)) this.#complain(`${level}: ${message}`);
  }

  /** One line, whatever the text holds. */
  #complain(text: string): void {
    this.#stderr.write(`${maskSecrets(text).replace(/[\s\p{Cc}]+/gu, " ")}\n`);
  }
}
