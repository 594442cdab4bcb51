/** Arrays as Postgres writes them, and as it reads them. */

/** The elements of a one-dimensional array; null for text that is none. */
export function parseArray(text: string): (string | null)[] | null {
  const start = text.startsWith("[") ? text.indexOf("=") + 1 : 0;
  if (text[start] !== "{" || text.at(-1) !== "}") return null;
  if (text.length - start === 2) return [];
  return new ArrayReader(text, start + 1).elements();
}

/** The array as text for a placeholder. */
export function formatArray(values: Iterable<string | null>): string {
  const elements: string[] = [];
  for (const value of values) elements.push(value === null ? "NULL" : `"${value.replaceAll(/["\\]/g, "\\$&")}"`);
  return `{${elements.join(",")}}`;
}

class ArrayReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  elements(): (string | null)[] | null {
    const elements: (string | null)[] = [];
    for (;;) {
      if (this.#text[this.#at] === "{") return null;
      const element = this.#text[this.#at] === '"' ? this.#quoted() : this.#plain();
      if (element === undefined) return null;
      elements.push(element);
      const separator = this.#text[this.#at++];
      if (separator === "}") return this.#at === this.#text.length ? elements : null;
      if (separator !== ",") return null;
    }
  }

  #plain(): string | null {
    const start = this.#at;
    while (this.#at < this.#text.length && this.#text[this.#at] !== "," && this.#text[this.#at] !== "}") this.#at++;
    const element = this.#text.slice(start, this.#at);
    return element === "NULL" ? null : element;
  }

  #quoted(): string | undefined {
    const start = this.#at + 1;
    let escaped = false;
    for (let at = start; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === "\\") {
        escaped = true;
        at++;
      } else if (character === '"') {
        this.#at = at + 1;
        const element = this.#text.slice(start, at);
        return escaped ? element.replaceAll(/\\(?<character>[^])/g, "$<character>") : element;
      }
    }
    return undefined;
  }
}
