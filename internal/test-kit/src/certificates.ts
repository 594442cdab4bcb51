/**
 * Certificates for tests, made with what Node.js brings: an authority that signs those of servers and clients. Node.js
 * can sign and read certificates and not write them, so that the few structures of X.509 they need are put together here.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A private key and its certificate, as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Signs certificates, and is trusted by whoever has {@link Authority.cert}. */
export interface Authority {
  /** Its own certificate, as PEM. */
  readonly cert: string;
  /** A new certificate, for 127.0.0.1 and localhost; a client's names its user. */
  issue(commonName: string): Certificate;
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Wanted {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly signWith: KeyObject;
  readonly extension: Buffer;
}

/** Tags of DER. */
const [BOOLEAN, INTEGER, BITS, OCTETS, OID, UTF8, TIME, SEQUENCE, SET] = [1, 2, 3, 4, 6, 12, 24, 48, 49];
/** Around what has a number in place of a name. */
const [NUMBER_0, NUMBER_3] = [0xa0, 0xa3];
/** Kinds of alternative names. */
const [DNS_NAME, IP_ADDRESS] = [0x82, 0x87];

const HOUR_MS = 3_600_000;

/** A new authority. */
export function createAuthority(name: string): Authority {
  const own = newKeys();
  const certOf = (subject: string, publicKey: KeyObject, extension: Buffer): string =>
    certificate({ issuer: name, subject, publicKey, signWith: own.privateKey, extension });
  return {
    cert: certOf(name, own.publicKey, SIGNS_OTHERS),
    issue(commonName) {
      const { publicKey, privateKey } = newKeys();
      const key = privateKey.export({ type: "pkcs8", format: "pem" });
      return { key, cert: certOf(commonName, publicKey, FOR_THIS_MACHINE) };
    },
  };
}

function newKeys(): KeyPair {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function certificate({ issuer, subject, publicKey, signWith, extension }: Wanted): string {
  const content = der(
    SEQUENCE,
    der(NUMBER_0, der(INTEGER, Buffer.of(2))),
    der(INTEGER, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer),
    // The clocks of both ends are one, yet seconds are cut off.
    der(SEQUENCE, time(Date.now() - HOUR_MS), time(Date.now() + 24 * HOUR_MS)),
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(NUMBER_3, der(SEQUENCE, extension)),
  );
  const signature = sign("sha256", content, signWith);
  const whole = der(SEQUENCE, content, ECDSA_WITH_SHA256, der(BITS, Buffer.of(0), signature));
  const lines = whole.toString("base64").replaceAll(/.{1,64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, ...lengthOf(content.length)), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function distinguishedName(commonName: string): Buffer {
  return der(SEQUENCE, der(SET, der(SEQUENCE, oid("550403"), der(UTF8, Buffer.from(commonName)))));
}

function time(ms: number): Buffer {
  return der(
    TIME,
    Buffer.from(
      new Date(ms)
        .toISOString()
        .replace(/\.\d+Z$/, "Z")
        .replaceAll(/[-:T]/g, ""),
    ),
  );
}

function oid(hex: string): Buffer {
  return der(OID, Buffer.from(hex, "hex"));
}

const ECDSA_WITH_SHA256 = der(SEQUENCE, oid("2a8648ce3d040302"));
/** Basic constraints: this is an authority. */
const SIGNS_OTHERS = der(
  SEQUENCE,
  oid("551d13"),
  der(BOOLEAN, Buffer.of(0xff)),
  der(OCTETS, der(SEQUENCE, der(BOOLEAN, Buffer.of(0xff)))),
);
/** Alternative names. */
const FOR_THIS_MACHINE = der(
  SEQUENCE,
  oid("551d11"),
  der(OCTETS, der(SEQUENCE, der(DNS_NAME, Buffer.from("localhost")), der(IP_ADDRESS, Buffer.of(127, 0, 0, 1)))),
);
