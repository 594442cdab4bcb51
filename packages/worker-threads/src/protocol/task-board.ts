/**
 * Memory that the client's thread and all threads of a pool see, in which the next tasks are posted. A thread that is free
 * takes the oldest of them by itself, in one atomic operation, and the client takes one back in the same way: whoever is
 * first has the task. So nobody waits for anybody's answer, and tasks start in the order in which they were posted.
 */
import type { Ticket } from "./messages.ts";
import { now } from "./own-globals.ts";

/** Bytes of text that a place holds. The text of a longer task is sent to the thread that has taken it. */
const TEXT_BYTES = 4_096;
/** A state and a length. */
const HEAD_BYTES = 2 * Int32Array.BYTES_PER_ELEMENT;
/** State of a place without a task. A ticket: the task waits. A negated number of a thread: that one has taken it. */
const EMPTY = 0;
/** Length of a text that is not there. */
const ELSEWHERE = -1;
/** The number of the thread that watches. */
const WATCHER_BYTES = Int32Array.BYTES_PER_ELEMENT;
const NOBODY = 0;
/** Of the processor, between two looks. */
const PAUSES = 10;

const NOWHERE = -1;

/** A task, and where it is. */
export interface PlacedTask {
  readonly place: number;
  readonly ticket: Ticket;
}

/** See the file header. */
export class TaskBoard {
  /** What is handed to threads. */
  readonly memory: SharedArrayBuffer;
  /** How many tasks there can be, those that threads have taken and the client has not cleared away included. */
  readonly places: number;
  readonly #watcher: Int32Array;
  readonly #states: Int32Array;
  readonly #lengths: Int32Array;
  readonly #texts: Buffer;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.places = (memory.byteLength - WATCHER_BYTES) / (HEAD_BYTES + TEXT_BYTES);
    this.#watcher = new Int32Array(memory, 0, 1);
    this.#states = new Int32Array(memory, WATCHER_BYTES, this.places);
    this.#lengths = new Int32Array(memory, WATCHER_BYTES + this.#states.byteLength, this.places);
    this.#texts = Buffer.from(memory, WATCHER_BYTES + this.places * HEAD_BYTES);
  }

  static withPlaces(places: number): TaskBoard {
    return new TaskBoard(new SharedArrayBuffer(WATCHER_BYTES + places * (HEAD_BYTES + TEXT_BYTES)));
  }

  /**
   * In the client's thread: posts a task in an empty place.
   *
   * @param text - null when it is to be sent to the thread that takes the task.
   * @returns whether the text is there; false also when it was too long.
   */
  post({ place, ticket }: PlacedTask, text: string | null): boolean {
    const fits = text !== null && textFits(text);
    this.#lengths[place] = fits ? this.#texts.write(text, place * TEXT_BYTES, "utf8") : ELSEWHERE;
    Atomics.store(this.#states, place, ticket);
    return fits;
  }

  /** In the client's thread: false when a thread was faster. */
  takeBack({ place, ticket }: PlacedTask): boolean {
    return Atomics.compareExchange(this.#states, place, ticket, EMPTY) === ticket;
  }

  /** In the client's thread: empties the place of a task that a thread had taken. */
  clear(place: number): void {
    Atomics.store(this.#states, place, EMPTY);
  }

  /** Number of the thread that has taken what was posted there; 0 when none has. */
  takerAt(place: number): number {
    return Math.max(0, -Atomics.load(this.#states, place));
  }

  /** Whether a thread will see the next task without being woken. Asked after that was posted. */
  get isWatched(): boolean {
    return Atomics.load(this.#watcher, 0) !== NOBODY;
  }

  /** In the client's thread: a thread is gone, and may have been watching. */
  forgetWatcher(thread: number): void {
    Atomics.compareExchange(this.#watcher, 0, thread, NOBODY);
  }

  /** In a thread: keeps looking for a task, if no other thread does. The thread looks once more afterwards. */
  watch(thread: number, ms: number): void {
    if (Atomics.compareExchange(this.#watcher, 0, NOBODY, thread) !== NOBODY) return;
    const until = now() + ms;
    do {
      for (let pauses = 0; pauses < PAUSES; pauses++) Atomics.pause();
    } while (!this.hasTask && now() < until);
    Atomics.store(this.#watcher, 0, NOBODY);
  }

  /** Whether a task waits. */
  get hasTask(): boolean {
    for (let place = 0; place < this.places; place++) if (Atomics.load(this.#states, place) > EMPTY) return true;
    return false;
  }

  /** The task that was posted first among those that wait; null when none does. */
  oldest(): PlacedTask | null {
    let [oldest, first] = [NOWHERE, EMPTY];
    for (let place = 0; place < this.places; place++) {
      const ticket = Atomics.load(this.#states, place);
      if (ticket > EMPTY && (oldest === NOWHERE || isBefore(ticket, first))) [oldest, first] = [place, ticket];
    }
    return oldest === NOWHERE ? null : { place: oldest, ticket: first };
  }

  /** In a thread: whether it has the task now. */
  take({ place, ticket }: PlacedTask, thread: number): boolean {
    return Atomics.compareExchange(this.#states, place, ticket, -thread) === ticket;
  }

  /**
   * In a thread that is about to take the task: whether its text is there. It would be too late to ask afterwards, because
   * the client may clear the place of a task that it has not handed over, and post another one there.
   */
  hasTextAt(place: number): boolean {
    return this.#lengths[place] !== ELSEWHERE;
  }

  /** In the thread that has taken the task, when its text is there. */
  textAt(place: number): string {
    const length = this.#lengths[place] as number;
    return this.#texts.toString("utf8", place * TEXT_BYTES, place * TEXT_BYTES + length);
  }
}

/** The ticket after `ticket`: they start again when all that fit an integer were used. */
export function nextTicket(ticket: Ticket): Ticket {
  return ticket === 0x7fff_ffff ? 1 : ticket + 1;
}

/** Of two tickets that were given out not too long after each other. */
function isBefore(a: Ticket, b: Ticket): boolean {
  // The sign of the difference in 31 bits.
  return (a - b) << 1 < 0;
}

function textFits(text: string): boolean {
  return text.length * 3 <= TEXT_BYTES || (text.length <= TEXT_BYTES && Buffer.byteLength(text) <= TEXT_BYTES);
}
