/** This repository's end of the protocol of peers: one JSON value a line, exact numbers included. */
import { type JsonValue, parseJson, stringifyJson, toJsonValue } from "riverqueue";

/** A line of standard input. Every request gets exactly one answer, in any order. */
export interface PeerRequest {
  readonly id: number;
  readonly method: string;
  readonly params: JsonValue;
}

/** Writes one line. */
export function say(value: object): void {
  process.stdout.write(`${stringifyJson(toJsonValue(value))}\n`);
}

/** Reads one line. */
export function readRequest(line: string): PeerRequest {
  const { id, method, params } = parseJson(line) as { id: number; method: string; params?: JsonValue };
  return { id, method, params: params ?? {} };
}
