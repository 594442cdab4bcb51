// What the user sees: a bar that moves on a terminal, plain lines everywhere else.
import type { WriteStream } from "node:tty";

const BAR_WIDTH = 30;
/** Shortest time between two drawings of the bar. */
const DRAW_EVERY_MS = 50;
const ERASE_LINE = "\r\u001b[K";

/** Prints lines, and how far the work is. */
export class Display {
  readonly #output: NodeJS.WriteStream | WriteStream;
  #bar = "";
  #drawnAt = 0;
  #lastTenth = 0;

  constructor(output: NodeJS.WriteStream | WriteStream) {
    this.#output = output;
  }

  /** Prints one line; a bar stays below it. */
  line(text: string): void {
    this.#output.write(this.#bar === "" ? `${text}\n` : `${ERASE_LINE}${text}\n${this.#bar}`);
  }

  /** Shows that `done` of `total` files are settled. */
  progress(done: number, total: number): void {
    if (total === 0) return;
    if (this.#output.isTTY) this.#draw(done, total);
    else this.#print(done, total);
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.#bar !== "") this.#output.write(ERASE_LINE);
    this.#bar = "";
  }

  #draw(done: number, total: number): void {
    const now = performance.now();
    if (done < total && now - this.#drawnAt < DRAW_EVERY_MS) return;
    this.#drawnAt = now;
    const filled = Math.floor((done / total) * BAR_WIDTH);
    this.#bar = `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${done} of ${total} files`;
    this.#output.write(ERASE_LINE + this.#bar);
  }

  /** One line per tenth, so that a log of a large folder is no longer than that of a small one. */
  #print(done: number, total: number): void {
    const tenth = Math.floor((done / total) * 10);
    if (tenth <= this.#lastTenth) return;
    this.#lastTenth = tenth;
    this.line(`${done} of ${total} files`);
  }
}
