/**
 * The messages that handlers of this process work on, and their ends inside of transactions that write something else. The
 * client settles each once more when its handler returns, which changes nothing about a job that has ended.
 */
import { stringifyJson, type WorkContext } from "riverqueue";
import type { MessageInserter, MessageJob } from "./message-inserter.ts";
import type { DriverScope, RuntimeDriver } from "./runtime-driver.ts";

/** The parts of an attempt that count here. */
export type MessageAttempt = Pick<WorkContext, "execution"> & {
  readonly job: Pick<WorkContext["job"], "attempt" | "id">;
};

type Settlement = Parameters<RuntimeDriver<unknown>["jobs"]["settle"]>[0]["settlements"][number];

/** See the file header. */
export class MessagesAtWork<Tx> {
  readonly #driver: RuntimeDriver<Tx>;
  readonly #inserter: MessageInserter<Tx>;
  readonly #timeoutMs: number;
  readonly #attempts = new Map<string, MessageAttempt>();

  /** @param timeoutMs - milliseconds after which a transaction of its own fails that has no answer. */
  constructor(driver: RuntimeDriver<Tx>, inserter: MessageInserter<Tx>, timeoutMs: number) {
    this.#driver = driver;
    this.#inserter = inserter;
    this.#timeoutMs = timeoutMs;
  }

  begin(attempt: MessageAttempt): void {
    this.#attempts.set(String(attempt.job.id), attempt);
  }

  end(attempt: MessageAttempt): void {
    const id = String(attempt.job.id);
    if (this.#attempts.get(id) === attempt) this.#attempts.delete(id);
  }

  /** Acknowledges those that are worked here. One that has changed hands is its new owner's to end. */
  async acknowledge(messageIds: readonly string[], scope: DriverScope<Tx>): Promise<void> {
    const attempts = [...new Set(messageIds)].flatMap((id) => this.#attempts.get(id) ?? []);
    if (attempts.length === 0) return;
    const settlements = attempts.map((attempt) => settlementOf(attempt, "completed", null));
    await this.#driver.jobs.settle({ settlements, wantRows: false }, { scope });
  }

  /** Discards one and inserts `dead`, both or neither: neither when it has changed hands or had ended before. */
  async replace(attempt: MessageAttempt, reason: string, dead: MessageJob): Promise<void> {
    const taken = new Error("the message is not held here any more");
    try {
      await this.#driver.transaction(
        async (scope) => {
          const settlements = [settlementOf(attempt, "discarded", reason)];
          const [settled] = await this.#driver.jobs.settle({ settlements, wantRows: false }, { scope });
          if (settled?.outcome === "locked") throw new Error("another session holds the row of the message");
          if (settled?.outcome !== "settled") throw taken;
          await this.#inserter.insert([dead], { scope });
        },
        { durability: "default", timeoutMs: this.#timeoutMs },
      );
    } catch (error) {
      if (error !== taken) throw error;
    }
  }
}

function settlementOf(
  { job, execution }: MessageAttempt,
  state: "completed" | "discarded",
  reason: string | null,
): Settlement {
  const { attempt } = job;
  const entry = reason === null ? null : { at: execution.startedAt.toString(), attempt, error: reason, trace: "" };
  return {
    id: job.id,
    attempt,
    clientId: execution.attemptedBy,
    state,
    newAttempt: null,
    finalizedAt: Temporal.Now.instant(),
    scheduledAt: null,
    error: entry === null ? null : stringifyJson(entry),
    metadata: null,
    deleteRow: false,
  };
}
