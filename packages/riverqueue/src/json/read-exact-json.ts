/**
 * The slow reader, for texts with numbers that need their text kept. It walks text that `JSON.parse` has accepted, so it
 * looks for the ends of tokens and never for mistakes, and it keeps its own stack, so depth does not matter.
 */
import type { JsonValue } from "./json-value.ts";
import { numberHoldsToken } from "./number-token.ts";
import { rawJson } from "./raw-json.ts";

type Container = JsonValue[] | Record<string, JsonValue>;

const QUOTE = 34;
const BACKSLASH = 92;
const NUMBER_CHARACTERS = "+-.0123456789Ee";

/** Reads well-formed JSON text. */
export function readExactJson(text: string): JsonValue {
  const reader = new ExactReader(text);
  while (!reader.done) reader.step();
  return reader.root;
}

class ExactReader {
  root: JsonValue = null;
  readonly #text: string;
  readonly #open: Container[] = [];
  /** Key that waits for its value. */
  #key: string | undefined;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  step(): void {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#enter(Object.create(null));
      case "[":
        return this.#enter([]);
      case "}":
      case "]":
        this.#open.pop();
        this.#at++;
        return;
      case '"':
        return this.#string();
      case "t":
        return this.#place(true, 4);
      case "f":
        return this.#place(false, 5);
      case "n":
        return this.#place(null, 4);
      case ",":
      case ":":
      case " ":
      case "\t":
      case "\n":
      case "\r":
        this.#at++;
        return;
      default:
        return this.#number();
    }
  }

  #enter(container: Container): void {
    this.#place(container, 1);
    this.#open.push(container);
  }

  #string(): void {
    let end = this.#at + 1;
    for (let unit = this.#text.charCodeAt(end); unit !== QUOTE; unit = this.#text.charCodeAt(end)) {
      end += unit === BACKSLASH ? 2 : 1;
    }
    const length = end + 1 - this.#at;
    const string: string = JSON.parse(this.#text.slice(this.#at, end + 1));
    const parent = this.#open.at(-1);
    if (parent === undefined || Array.isArray(parent) || this.#key !== undefined) return this.#place(string, length);
    this.#key = string;
    this.#at += length;
  }

  #number(): void {
    let end = this.#at + 1;
    while (end < this.#text.length && NUMBER_CHARACTERS.includes(this.#text.charAt(end))) end++;
    const token = this.#text.slice(this.#at, end);
    const number = Number(token);
    this.#place(numberHoldsToken(token, number) ? number : rawJson.rawJSON(token), token.length);
  }

  #place(value: JsonValue, length: number): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) this.root = value;
    else if (Array.isArray(parent)) parent.push(value);
    else parent[this.#key ?? ""] = value;
    this.#key = undefined;
    this.#at += length;
  }
}
