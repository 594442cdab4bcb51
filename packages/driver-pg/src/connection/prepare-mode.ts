/**
 * Whether statements are sent by name, under which, and what is known of a pooler. One for all connections of a driver:
 * a pooler is behind all of them or none.
 */
import type { Statement } from "./dialect.ts";

/** See the file header. */
export class PrepareMode {
  #named: boolean;
  #pooled: boolean;
  #shares = false;
  #edition = 0;

  /** @param prepare - the driver's option; `false` says that there is a pooler. */
  constructor(prepare: boolean) {
    this.#named = prepare;
    this.#pooled = !prepare;
  }

  /** Statements have names. */
  get named(): boolean {
    return this.#named;
  }

  /** Changes when statements have to be sent in another way than before: without names, or under new ones. */
  get edition(): number {
    return this.#edition;
  }

  /** The name under which `statement` is prepared at present. */
  nameOf({ name }: Statement): string {
    return this.#edition === 0 ? name : `${name}_${this.#edition}`;
  }

  /**
   * A result has other types than when its statement of this edition was prepared, as after the tables were made anew:
   * the server refuses it for as long as it has that name.
   */
  outdate(edition: number): void {
    if (edition === this.#edition) this.#edition += 1;
  }

  /** A process ID seen through this connection may be somebody else's: nothing is cancelled by it. */
  get pooled(): boolean {
    return this.#pooled;
  }

  /** The process ID of the session is not the one that the connection was made with. */
  notePooler(): void {
    this.#pooled = true;
  }

  /** Sessions of the server are handed around between connections, so that none of them can listen. */
  get shares(): boolean {
    return this.#shares;
  }

  /** That has been seen. The first time there is a warning. */
  noteSharing(): void {
    if (this.#shares) return;
    this.#shares = true;
    process.emitWarning(
      "a pooler in transaction mode is in front of the server, and no notification comes through it; the client polls. " +
        "Give it the option pollOnly to say so beforehand.",
      { code: "RIVER_PG_NO_NOTIFICATIONS", type: "RiverWarning" },
    );
  }

  /** A named statement was refused: there are no names from here on, with one warning. */
  fallBack(): void {
    if (!this.#named) return;
    this.#named = false;
    this.#pooled = true;
    this.#edition += 1;
    process.emitWarning(
      "the server did not know a prepared statement any more, as behind a pooler in transaction mode; " +
        "statements are sent without names from now on. Set the driver option prepare to false to say so beforehand.",
      { code: "RIVER_PG_UNNAMED_STATEMENTS", type: "RiverWarning" },
    );
  }
}
