/** A handler in a module, checked: what `WorkerThreads.handler` makes and `start` is given back. */
import { ConfigurationError, type JobDefinition, type WorkContext } from "riverqueue";
import { encodeArgs } from "./crossing/encode-args.ts";
import { encodeJob } from "./crossing/job-text.ts";
import { OptionFaults } from "./options/option-faults.ts";
import { placeText } from "./protocol/handler-place.ts";
import type { Task } from "./protocol/messages.ts";

/** See the file header. */
export class ThreadTarget {
  /** Kind and aliases of its definition. */
  readonly kinds: readonly string[];
  readonly #place: string;

  private constructor(definition: JobDefinition, moduleUrl: string, exportName: string) {
    this.kinds = [definition.kind, ...(definition.kindAliases ?? [])];
    this.#place = placeText({ moduleUrl, exportName });
  }

  /** @throws ConfigurationError naming everything that is wrong. */
  static from(definition: unknown, target: unknown): ThreadTarget {
    const faults = new OptionFaults();
    const kind: unknown = (definition as Partial<JobDefinition> | null | undefined)?.kind;
    if (typeof definition !== "object" || typeof kind !== "string" || kind === "") {
      faults.add("definition", "must be a job definition: an object with a kind");
    }
    const { module, exportName } = faults.read(target, "target", ["exportName", "module"]);
    const href = absoluteUrl(module);
    if (href === null) faults.add("target.module", "must be an absolute URL");
    if (typeof exportName !== "string" || exportName === "")
      faults.add("target.exportName", "must be a non-empty string");
    faults.throwIfAny();
    return new ThreadTarget(definition as JobDefinition, href as string, exportName as string);
  }

  /**
   * What a thread needs to run the attempt.
   *
   * @throws ConfigurationError for a job of another kind, or arguments that cannot cross.
   */
  taskFor(context: WorkContext): Task {
    const { job } = context;
    if (!this.kinds.includes(job.kind)) {
      const [kind, found] = [this.kinds[0], job.kind].map((name) => JSON.stringify(name));
      throw new ConfigurationError(`worker thread handler of job kind ${kind} was given a job of kind ${found}`);
    }
    const handler = this.#place;
    // Without a schema or decoder, what the handler gets is what is stored.
    if (job.args === job.rawArgs) return { handler, job: encodeJob(context, null), clonedArgs: null };
    const { argsForm, args } = encodeArgs(job.args);
    if (argsForm === "json") return { handler, job: encodeJob(context, args as string), clonedArgs: null };
    return { handler, job: encodeJob(context, null), clonedArgs: { value: args } };
  }
}

/** Also of a URL that another realm made, as test runners have them. */
function absoluteUrl(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const { href } = value as Partial<URL>;
  return typeof href === "string" && URL.canParse(href) ? href : null;
}
