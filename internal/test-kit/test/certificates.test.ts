import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { connect, createServer } from "node:tls";
import { createAuthority } from "../src/certificates.ts";
import { failOnLeaks } from "../src/fail-on-leaks.ts";

failOnLeaks();

test("a certificate names its subject, this machine and its issuer", () => {
  const authority = createAuthority("one");
  const issued = new X509Certificate(authority.issue("worker").cert);
  const issuer = new X509Certificate(authority.cert);
  assert.deepEqual([issued.subject, issued.issuer], ["CN=worker", "CN=one"]);
  assert.deepEqual([issuer.ca, issued.ca], [true, false]);
  assert.deepEqual([issued.checkIP("127.0.0.1"), issued.checkHost("localhost")], ["127.0.0.1", "localhost"]);
  assert.ok(issued.checkIssued(issuer) && issued.verify(issuer.publicKey));
  assert.ok(!issued.verify(new X509Certificate(createAuthority("one").cert).publicKey));
});

test("TLS takes it from its own authority only", async () => {
  const [trusted, other] = [createAuthority("trusted"), createAuthority("other")];
  const server = createServer(trusted.issue("server"), (socket) => socket.end());
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", ca: trusted.cert });
  await once(socket, "secureConnect");
  socket.destroy();
  const stranger = connect({ port, host: "127.0.0.1", ca: other.cert });
  await assert.rejects(once(stranger, "secureConnect"), { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
  server.close();
});
