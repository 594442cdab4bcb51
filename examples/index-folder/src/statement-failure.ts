// A statement of the demo's own that a database server did not run.

/** Its message is for people, and holds no statement and no value. */
export class StatementFailure extends Error {
  override readonly name = "StatementFailure";
  /** It may be tried again right away: somebody else was in the way. */
  readonly passes: boolean;

  constructor(message: string, options: { readonly passes: boolean; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.passes = options.passes;
  }
}
