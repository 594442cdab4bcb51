/**
 * Child process: a client of this repository that is driven over standard input and output, exactly as the peer of
 * River for Go is. It ends when its input does.
 */
import { readLines } from "../read-lines.ts";
import { connectPeer, type OurPeer } from "./our-peer.ts";
import { type PeerRequest, readRequest, say } from "./protocol.ts";

const connected: { peer: OurPeer | null } = { peer: null };

for await (const line of readLines(process.stdin)) {
  const request = readRequest(line);
  // What follows needs the result of these, so nothing may overtake them.
  if (request.method === "connect" || request.method === "open") await answer(request);
  else void answer(request);
}
await connected.peer?.close();

async function answer(request: PeerRequest): Promise<void> {
  try {
    say({ id: request.id, result: (await serve(request)) ?? null });
  } catch (error) {
    say({ id: request.id, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
  }
}

async function serve({ method, params }: PeerRequest): Promise<unknown> {
  if (method === "connect") {
    connected.peer = connectPeer(params);
    return null;
  }
  if (connected.peer === null) throw new Error(`${method} before connect`);
  return connected.peer.handle(method, params);
}
