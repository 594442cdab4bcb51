/** Which certificate a Postgres server shows, for tests that change it: the server takes a new one in its own time. */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as secure } from "node:tls";

/** What a client of Postgres says first when it wants TLS. */
const TLS_REQUEST = Buffer.of(0, 0, 0, 8, 4, 210, 22, 47);
/** The server's answer when it does. */
const WILLING = "S";

/** Whether a new connection is shown this certificate, which is given as PEM. */
export async function isServed(port: number, cert: string): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    socket.write(TLS_REQUEST);
    const [answer] = (await once(socket, "data")) as [Buffer];
    return answer.toString() === WILLING && (await shownOn(socket)) === new X509Certificate(cert).fingerprint256;
  } finally {
    // The server may end it as well.
    socket.on("error", () => {}).destroy();
  }
}

async function shownOn(socket: Socket): Promise<string | undefined> {
  // It is only looked at, and trusted with nothing.
  const wrapped = secure({ socket, rejectUnauthorized: false });
  await once(wrapped, "secureConnect");
  wrapped.on("error", () => {});
  const fingerprint = wrapped.getPeerX509Certificate()?.fingerprint256;
  wrapped.destroy();
  return fingerprint;
}
