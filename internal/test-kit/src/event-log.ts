/** Everything a client has reported, so that a test can wait for what has happened already as well as for what will. */
import { withDeadline } from "./with-deadline.ts";
import type { EventSubscription, RiverEvent, RiverEventKind } from "riverqueue";

type EventOf<Kind extends RiverEventKind> = RiverEvent & { readonly kind: Kind };

/** See the file header. */
export class EventLog {
  readonly all: RiverEvent[] = [];
  #wake: (() => void)[] = [];
  #ended = false;

  constructor(subscription: EventSubscription) {
    void this.#read(subscription);
  }

  /** The events of one kind so far, in order. */
  of<Kind extends RiverEventKind>(kind: Kind): EventOf<Kind>[] {
    return this.all.filter((event): event is EventOf<Kind> => event.kind === kind);
  }

  /** Resolves with the events of a kind once there are `count` of them that `accept` wants. */
  async when<Kind extends RiverEventKind>(
    kind: Kind,
    count: number = 1,
    accept: (event: EventOf<Kind>) => boolean = () => true,
  ): Promise<EventOf<Kind>[]> {
    const search = async (): Promise<EventOf<Kind>[]> => {
      for (;;) {
        const found = this.of(kind).filter(accept);
        if (found.length >= count) return found;
        if (this.#ended) throw new Error(`the events ended with ${found.length} of ${count} ${kind}`);
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    };
    return withDeadline(search(), () => `${count} ${kind}; came ${JSON.stringify(this.kinds())}`, {
      deadlineMs: 60_000,
    });
  }

  /** How many events of each kind there were. */
  kinds(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { kind } of this.all) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  }

  /** How many events about jobs there were of each kind; those of queues and leaders are left out. */
  jobKinds(): Record<string, number> {
    return Object.fromEntries(Object.entries(this.kinds()).filter(([kind]) => kind.startsWith("job_")));
  }

  async #read(subscription: EventSubscription): Promise<void> {
    for await (const event of subscription) {
      this.all.push(event);
      this.#wakeAll();
    }
    this.#ended = true;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
