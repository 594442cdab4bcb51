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
  /** From now on nothing goes through open connections in either direction, and neither end is told. */
  stall(): void;
  /** Ends open connections, as a network does that sends RST. */
  cut(): void;
  /** Whether new connections are taken; they are at first. */
  accept(accepting: boolean): void;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** Starts a proxy for the server of `url`. It ends with the test. */
export async function startPostgresProxy(t: TestContext, url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const proxy = new Proxy(target);
  await proxy.listen();
  t.after(() => proxy.close());
  return proxy;
}

class Proxy implements PostgresProxy {
  readonly #target: URL;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
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

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  stall(): void {
    for (const { near, far } of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
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
    const pair = { near, far };
    this.#pairs.add(pair);
    const part = (): void => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on("error", part).on("close", part);
    near.pipe(far);
    far.pipe(near);
  }
}
