/** Verbs for rebuilding indexes. They run outside any transaction. */

/** Index verbs of a runtime driver. */
export interface IndexesFacet {
  /** Of the given index names those that exist. */
  existing(params: { readonly names: readonly string[] }): Promise<readonly string[]>;
  /** Names of left-overs of interrupted concurrent rebuilds of `index`. */
  artifacts(params: { readonly index: string }): Promise<readonly string[]>;
  /** Rebuilds one index without blocking writers where the backend can; aborting the signal cancels it. */
  rebuild(params: {
    readonly index: string;
    readonly timeoutMs: number | null;
    readonly signal: AbortSignal;
  }): Promise<void>;
  /** Drops the left-overs of `index`. */
  dropArtifacts(params: { readonly index: string; readonly timeoutMs: number }): Promise<void>;
}
