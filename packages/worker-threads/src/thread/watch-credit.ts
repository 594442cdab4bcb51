/**
 * Whether it is worth a thread's while to watch the board without sleeping. It is when tasks follow each other closely and
 * the client's thread has a processor to post them from; on a busy machine watching only takes that away.
 */

/** What a thread begins with, and begins again with after a pause. */
const START = 4;
const MOST = 16;
const LOSS = 4;
/** Times that a thread does not watch when it has watched too often in vain. */
const PAUSE = 50;

/** See the file header. */
export class WatchCredit {
  #credit = START;
  #pause = 0;

  /** Asked once each time that a thread finds nothing. */
  isEnough(): boolean {
    if (this.#credit > 0) return true;
    this.#pause++;
    if (this.#pause > PAUSE) [this.#credit, this.#pause] = [START, 0];
    return this.#credit > 0;
  }

  /** Watching has been worth it, or has not. */
  note(hasFound: boolean): void {
    this.#credit = hasFound ? Math.min(MOST, this.#credit + 1) : this.#credit - LOSS;
  }
}
