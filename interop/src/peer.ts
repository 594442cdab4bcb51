/** A client in a process of its own, River for Go's or ours, driven over the same protocol. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { withDeadline } from "@riverqueue/internal-test-kit";
import { type JobRowJson, parseJson, stringifyJson, toJsonValue } from "riverqueue";
import { buildGoPeer } from "./build-go-peer.ts";
import { PATIENCE } from "./patience.ts";
import { readLines } from "./read-lines.ts";
import type {
  ListSpec,
  OpenSpec,
  PeerEvent,
  PeerInserted,
  PeerJobSpec,
  PeerPage,
  PeerQueue,
  PeerSide,
} from "./peer-values.ts";

const OUR_PROGRAM = fileURLToPath(new URL("./ours/main.ts", import.meta.url));

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Starts a program and lets it end with the test. */
export async function spawnPeer(t: TestContext, side: PeerSide): Promise<Peer> {
  const [command, args] =
    side === "go" ? [await buildGoPeer(), []] : [process.execPath, ["--conditions=@riverqueue/source", OUR_PROGRAM]];
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    // Zones that a job leaks would be seen here; the test runner's own variables would make the child report to it.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, TZ: "Asia/Kathmandu" },
  });
  const peer = new Peer(side, child);
  t.after(async () => {
    await peer.kill();
    if (!t.passed && peer.log !== "") t.diagnostic(`log of a peer (${side}):\n${peer.log.slice(-20_000)}`);
  });
  return peer;
}

/** See the file header. Methods that give rows give them as both sides write them. */
export class Peer {
  readonly side: PeerSide;
  /** Everything that came unasked, in order. */
  readonly events: PeerEvent[] = [];
  log = "";
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  #lastCall = 0;
  #wake: (() => void)[] = [];

  constructor(side: PeerSide, child: ChildProcess) {
    this.side = side;
    this.#child = child;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.log += text));
    child.stdin?.on("error", () => {});
    this.#ended = Promise.all([once(child, "close"), this.#readAll()]).finally(() => this.#abandon());
    this.#ended.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Calls a method; its result. Rejects with what the other side says is wrong. */
  async call<T = unknown>(method: string, params: object = {}): Promise<T> {
    if (this.hasEnded) throw new Error(`${method}: the peer has ended`);
    const id = ++this.#lastCall;
    const called = Promise.withResolvers<unknown>();
    this.#calls.set(id, called);
    this.#child.stdin?.write(`${stringifyJson(toJsonValue({ id, method, params }))}\n`);
    return (await withDeadline(called.promise, `${method} of ${this.side}`, PATIENCE)) as T;
  }

  /** The first event so far or to come that `accept` wants. */
  async when(accept: (event: PeerEvent) => boolean): Promise<PeerEvent> {
    const search = async (): Promise<PeerEvent> => {
      for (;;) {
        const found = this.events.find(accept);
        if (found !== undefined) return found;
        if (this.hasEnded) throw new Error("the peer has ended");
        await new Promise<void>((resolve) => this.#wake.push(resolve));
      }
    };
    return withDeadline(
      search(),
      () => `an event of ${this.side}; came ${JSON.stringify(this.events.slice(-10))}`,
      PATIENCE,
    );
  }

  /** The first event of that name about that job. */
  whenJob(event: string, jobId: string): Promise<PeerEvent> {
    return this.when((each) => each.event === event && each.jobId === jobId);
  }

  /** Names of the events about a job, in order. */
  about(jobId: string): string[] {
    return this.events.filter((each) => each.jobId === jobId).map(({ event }) => event);
  }

  /** Sends a signal, SIGKILL unless named; for one that ends the process, resolves when it has. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (!this.hasEnded) this.#child.kill(signal);
    if (signal !== "SIGSTOP" && signal !== "SIGCONT") await this.#ended;
  }

  open(spec: OpenSpec = {}): Promise<{ readonly clientId: string }> {
    return this.call("open", spec);
  }

  /** Opens a client and starts it. */
  async work(spec: OpenSpec): Promise<void> {
    await this.open(spec);
    await this.call("start");
  }

  insert(job: PeerJobSpec, tx?: number): Promise<PeerInserted> {
    return this.call("insert", { ...this.#spoken(job), ...(tx !== undefined && { tx }) });
  }

  insertMany(jobs: readonly PeerJobSpec[], tx?: number): Promise<PeerInserted[]> {
    return this.call("insertMany", { jobs: jobs.map((job) => this.#spoken(job)), ...(tx !== undefined && { tx }) });
  }

  get(id: string): Promise<JobRowJson | null> {
    return this.call("get", { id });
  }

  list(spec: ListSpec = {}): Promise<PeerPage> {
    return this.call("list", spec);
  }

  queue(name: string): Promise<PeerQueue | null> {
    return this.call("queue", { name });
  }

  /** A job as this side takes it: Go has the compared fields in a type, and we have them in a list. */
  #spoken(job: PeerJobSpec): object {
    if (this.side === "ours") return job;
    const { unique, ...rest } = job;
    return { ...rest, ...(unique && { unique: { ...unique, byArgs: Boolean(unique.byArgs) } }) };
  }

  async #readAll(): Promise<void> {
    if (this.#child.stdout) for await (const line of readLines(this.#child.stdout)) this.#read(line);
  }

  #read(line: string): void {
    const { id, result, error, ...rest } = parseJson(line) as Answer & object;
    if (id === undefined) {
      this.events.push(rest as PeerEvent);
      this.#wakeAll();
      return;
    }
    const called = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) called?.resolve(result);
    else called?.reject(new Error(error));
  }

  #abandon(): void {
    for (const called of this.#calls.values()) called.reject(new Error("the peer ended before it answered"));
    this.#calls.clear();
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
