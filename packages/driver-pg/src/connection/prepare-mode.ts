/** Whether statements are sent by name. One for all connections of a driver: a pooler is behind all of them or none. */

/** See the file header. */
export class PrepareMode {
  #named: boolean;
  #pooled: boolean;

  /** @param prepare - the driver's option; `false` says that there is a pooler. */
  constructor(prepare: boolean) {
    this.#named = prepare;
    this.#pooled = !prepare;
  }

  /** Statements have names. */
  get named(): boolean {
    return this.#named;
  }

  /** A process ID seen through this connection may be somebody else's: nothing is cancelled by it. */
  get pooled(): boolean {
    return this.#pooled;
  }

  /** The process ID of the session is not the one that the connection was made with. */
  notePooler(): void {
    this.#pooled = true;
  }

  /** A named statement was refused: there are no names from here on, with one warning. */
  fallBack(): void {
    if (!this.#named) return;
    this.#named = false;
    this.#pooled = true;
    process.emitWarning(
      "the server did not know a prepared statement any more, as behind a pooler in transaction mode; " +
        "statements are sent without names from now on. Set the driver option prepare to false to say so beforehand.",
      { code: "RIVER_PG_UNNAMED_STATEMENTS", type: "RiverWarning" },
    );
  }
}
