/**
 * Collects everything wrong with an insertion, with the insert options of a definition or a client, or with another call
 * that is given JSON, so that a caller sees all of it in one error: of the most telling class when all findings agree on
 * one.
 */
import { JsonValueError } from "../model/errors/json-value-error.ts";
import { PayloadValidationError } from "../model/errors/payload-validation-error.ts";
import { OptionProblems } from "../options/option-problems.ts";

/** Whichever has classes of its own; the message begins with the path. */
type CodedError = JsonValueError | PayloadValidationError;

/** Findings about options that know their number. */
class CountedProblems extends OptionProblems {
  count = 0;

  override add(path: string, expectation: string): void {
    this.count++;
    super.add(path, expectation);
  }
}

/** See the file header. */
export class InsertFaults {
  readonly #options = new CountedProblems();
  readonly #coded: CodedError[] = [];

  /** Findings about options: wrong types, ranges, unknown keys. */
  get options(): OptionProblems {
    return this.#options;
  }

  get count(): number {
    return this.#options.count + this.#coded.length;
  }

  /** A value that is not JSON, or arguments that their definition refuses. */
  add(error: CodedError): void {
    this.#coded.push(error);
  }

  /** Adds what was thrown if it is such an error; throws anything else. */
  addThrown(error: unknown): void {
    if (!(error instanceof JsonValueError || error instanceof PayloadValidationError)) throw error;
    this.add(error);
  }

  /** What `read` gives; undefined when it throws such an error, which is added. */
  collect<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.addThrown(error);
      return undefined;
    }
  }

  /** @throws ConfigurationError naming everything, if there is anything. */
  throwConfiguration(): void {
    this.#mergeCoded();
    this.options.throwConfiguration();
  }

  /**
   * @throws JsonValueError when all findings are values that are not JSON, PayloadValidationError when all are refused
   *   arguments, ValidationError otherwise.
   */
  throwValidation(): void {
    const [first] = this.#coded;
    if (first !== undefined && this.options.isEmpty) {
      if (this.#coded.length === 1) throw first;
      const message = this.#coded.map((error) => error.message).join("; ");
      const details = { problems: this.#coded.map(problemOf) };
      if (this.#all(JsonValueError)) throw new JsonValueError((first as JsonValueError).path, message, { details });
      if (this.#all(PayloadValidationError)) {
        const { kind, phase } = first as PayloadValidationError;
        throw new PayloadValidationError(kind, phase, message, { details });
      }
    }
    this.#mergeCoded();
    this.options.throwValidation();
  }

  #all(errorClass: typeof JsonValueError | typeof PayloadValidationError): boolean {
    return this.#coded.every((error) => error instanceof errorClass);
  }

  #mergeCoded(): void {
    for (const error of this.#coded) {
      const { path, expectation } = problemOf(error);
      this.options.add(path, expectation);
    }
  }
}

/** Messages of coded errors begin with the path of the value, so the first space ends it. */
function problemOf({ message }: CodedError): { readonly path: string; readonly expectation: string } {
  const end = message.indexOf(" ");
  return { path: message.slice(0, end), expectation: message.slice(end + 1) };
}
