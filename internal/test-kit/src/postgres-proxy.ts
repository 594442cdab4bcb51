/** A TCP proxy in front of a server: connections that are cut, or that go silent without a word. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { once } from "node:events";
import type { TestContext } from "node:test";

/** See {@link startPostgresProxy}. */
export interface PostgresProxy {
  /** The server's address with the proxy in its place. */
  readonly url: string;
  /** Connections that are open through it. */
  readonly open: number;
  /** Where these connections come from as the server sees it: its `client_port`. */
  readonly serverPorts: readonly number[];
  /**
   * From now on nothing goes through open connections in either direction, and neither end is told. With `saying` only
   * through those on which a client has sent that text, such as `LISTEN`. What is returned ends these connections.
   */
  stall(saying?: string): () => void;
  /**
   * From now on, when a client sends `saying`, what the server answers on that connection waits. What is returned lets
   * all answers through, and stops that.
   */
  delayAnswers(saying: string): () => void;
  /** Ends open connections, as a network does that sends RST; with `saying` those on which a client has sent that text. */
  cut(saying?: string): void;
  /** Whether new connections are taken; they are at first. */
  accept(accepting: boolean): void;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  /** All that the client has sent. */
  readonly said: Buffer[];
}

/** Starts a proxy for the server of `url`. It ends with the test. */
export async function startPostgresProxy(t: TestContext, url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const proxy = new Proxy(target);
  await proxy.listen();
  t.after(() => proxy.close());
  return proxy;
}

/** Answers that wait. */
interface Delay {
  readonly saying: string;
  readonly delayed: Set<Pair>;
}

class Proxy implements PostgresProxy {
  readonly #target: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #delays = new Set<Delay>();
  #accepting = true;

  constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((near) => this.#join(near));
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    const address = new URL(this.#target);
    address.hostname = "127.0.0.1";
    address.port = String(port);
    return address.href;
  }

  get open(): number {
    return this.#pairs.size;
  }

  get serverPorts(): number[] {
    return Array.from(this.#pairs, ({ far }) => far.localPort ?? 0);
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  stall(saying: string = ""): () => void {
    const stalled = this.#saying(saying);
    for (const { near, far } of stalled) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
    return () => stalled.forEach(reset);
  }

  delayAnswers(saying: string): () => void {
    const delay: Delay = { saying, delayed: new Set() };
    this.#delays.add(delay);
    return () => {
      this.#delays.delete(delay);
      for (const { near, far } of delay.delayed) far.pipe(near);
    };
  }

  cut(saying: string = ""): void {
    for (const pair of this.#saying(saying)) reset(pair);
  }

  accept(accepting: boolean): void {
    this.#accepting = accepting;
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #join(near: Socket): void {
    if (!this.#accepting) return void near.resetAndDestroy();
    const far = connect(Number(this.#target.port || 5432), this.#target.hostname);
    const pair: Pair = { near, far, said: [] };
    this.#pairs.add(pair);
    const part = (): void => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on("error", part).on("close", part);
    near.on("data", (chunk: Buffer) => this.#hear(pair, chunk));
    near.pipe(far);
    far.pipe(near);
  }

  #hear(pair: Pair, chunk: Buffer): void {
    pair.said.push(chunk);
    for (const { saying, delayed } of this.#delays) {
      if (!chunk.includes(saying)) continue;
      delayed.add(pair);
      pair.far.unpipe(pair.near).pause();
    }
  }

  #saying(text: string): Pair[] {
    return Array.from(this.#pairs).filter(({ said }) => Buffer.concat(said).includes(text));
  }
}

/** A socket that is ending already refuses a reset, and Node.js forgets to close it then: its client would wait for ever. */
function reset({ near, far }: Pair): void {
  if (near.writableEnded) near.destroy();
  else near.resetAndDestroy();
  far.destroy();
}
