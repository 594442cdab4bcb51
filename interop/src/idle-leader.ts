/** Leaders that touch no job of a test but by their services. */
import type { InteropWorld } from "./interop-test.ts";
import type { Peer } from "./peer.ts";
import type { PeerSide } from "./peer-values.ts";

/** A client that works a queue without jobs, and leads as soon as nobody else does. It knows the kind `task`. */
export async function idleLeader(world: InteropWorld, side: PeerSide): Promise<Peer> {
  const peer = await world.peer(side);
  await peer.work({ clientId: side, queues: { elsewhere: 1 }, kinds: ["task"] });
  return peer;
}
