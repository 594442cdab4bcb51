/** A port for a server that is about to start and cannot choose one itself. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that systems give to connections and to servers that name none: a server that is away for a while must
 * find its port free when it comes back, and nobody else may have answered its clients there.
 */
const FIRST = 15_000;
const LAST = 32_000;
const TRIES = 100;

/** A TCP port of the loopback address that nobody uses now. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${TRIES} ports was free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
