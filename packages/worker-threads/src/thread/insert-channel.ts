/** The client that handlers get: sends insertions to the client's thread and hands out what became of them. */
import type { MessagePort } from "node:worker_threads";
import {
  type InsertResult,
  isJobDefinition,
  type JobDefinition,
  jobFromJsonValue,
  parseJson,
  ValidationError,
} from "riverqueue";
import { encodeArgs } from "../crossing/encode-args.ts";
import { encodeInsertOptions } from "../crossing/insert-options.ts";
import type { InsertCall, Ticket, ToThread } from "../protocol/messages.ts";
import { send } from "../protocol/send.ts";
import type { ManagedThreadClient } from "../managed/managed-thread-handler.ts";

/** One insertion as it crosses back. */
interface CrossedResult {
  readonly status: InsertResult["status"];
  readonly job: Parameters<typeof jobFromJsonValue>[0];
}

/** See the file header. */
export class InsertChannel {
  readonly #port: MessagePort;
  readonly #calls: Map<number, PromiseWithResolvers<InsertResult[]>> = new Map();
  #last = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /**
   * The client of one attempt.
   *
   * @param assertRunning - throws when that has ended: nobody would answer any more.
   */
  clientOf(ticket: Ticket, assertRunning: () => void): ManagedThreadClient {
    const insertMany = async (items: readonly ThreadItem[]): Promise<InsertResult[]> => {
      assertRunning();
      if (!Array.isArray(items)) throw new ValidationError("items must be an array");
      return items.length === 0 ? [] : this.#insert(ticket, items.map(callOf));
    };
    const client = {
      insert: async (job: JobDefinition, args: object, options?: object) =>
        (await insertMany([{ job, args, options }]))[0],
      insertMany,
    };
    return Object.freeze(client) as unknown as ManagedThreadClient;
  }

  /** Takes the answer to a call. */
  receive([, call, results, fault]: Extract<ToThread, readonly ["inserted", ...unknown[]]>): void {
    const waiting = this.#calls.get(call);
    this.#calls.delete(call);
    if (results !== null) waiting?.resolve((parseJson(results) as unknown as CrossedResult[]).map(resultOf));
    else waiting?.reject(Object.assign(new Error(fault?.message), { name: fault?.name }));
  }

  #insert(ticket: Ticket, items: readonly InsertCall[]): Promise<InsertResult[]> {
    const call = ++this.#last;
    const waiting = Promise.withResolvers<InsertResult[]>();
    this.#calls.set(call, waiting);
    send(this.#port, ["insert", ticket, call, items]);
    return waiting.promise;
  }
}

interface ThreadItem {
  readonly job: JobDefinition;
  readonly args: object;
  readonly options?: object | undefined;
}

function callOf({ job, args, options }: ThreadItem): InsertCall {
  if (!isJobDefinition(job)) throw new ValidationError("job must be a definition made by defineJob");
  return { kind: job.kind, ...encodeArgs(args), options: options === undefined ? null : encodeInsertOptions(options) };
}

function resultOf({ status, job }: CrossedResult): InsertResult {
  return Object.freeze({ status, job: jobFromJsonValue(job) });
}
