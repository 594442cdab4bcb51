/** Checks contexts where they come in: callers without types pass all kinds of things. */
import { OptionProblems } from "../kit/option-problems.ts";
import type { WorkerCtx } from "./worker-ctx.ts";

/** @throws ValidationError for what is no context. */
export function assertWorkerCtx(value: unknown): asserts value is WorkerCtx {
  const ctx = value as Partial<WorkerCtx> | null | undefined;
  const problems = new OptionProblems();
  if (typeof ctx !== "object" || ctx === null || typeof ctx.now !== "function") {
    problems.add("ctx", "must be the context that an entry was given, or resolveFetchWorkerCtx gives");
  } else problems.logger(ctx.logger, "ctx.logger");
  problems.throwValidation();
}
