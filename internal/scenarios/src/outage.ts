/** Connections that fail for a while: names that cannot be resolved, as a socket for `pg`. */
import { lookup } from "node:dns";
import { Socket, type SocketConnectOpts } from "node:net";

/** A resolver that can be out of order. */
export class Resolver {
  /** Whether it answers. */
  working = true;
  /** How often it did not. */
  failures = 0;

  /** For the setting `stream` of `pg`: a socket that finds its host through this resolver. */
  readonly socket = (): Socket => new ResolvingSocket(this);
}

class ResolvingSocket extends Socket {
  readonly #resolver: Resolver;

  constructor(resolver: Resolver) {
    super();
    this.#resolver = resolver;
  }

  override connect(...args: unknown[]): this {
    const [port, host] = args;
    if (typeof port !== "number" || typeof host !== "string") throw new Error("expected a port and a host");
    const options: SocketConnectOpts = {
      port,
      host,
      lookup: (name, lookupOptions, callback) => {
        if (this.#resolver.working) return lookup(name, lookupOptions, callback);
        this.#resolver.failures++;
        const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND", hostname: name });
        return callback(error, "", 4);
      },
    };
    return super.connect(options);
  }
}
