/** A port for a server that is about to start and cannot choose one itself. */
import { once } from "node:events";
import { createServer } from "node:net";

/** A TCP port of the loopback address that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return address.port;
}
