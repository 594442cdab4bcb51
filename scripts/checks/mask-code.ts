// Separates the code of a TypeScript file from what only looks like code: comments, strings, templates and regular
// expressions. Owns the one scanner that the other checks search in; judges nothing.

/** A file's text without the contents of comments and literals. */
export interface MaskedCode {
  /** As long as the original, contents of comments and literals replaced by spaces; quotes and line ends stay. */
  readonly code: string;
  /** The string literals by the offset of their opening quote. */
  readonly strings: ReadonlyMap<number, string>;
}

/** After one of these a slash begins a regular expression and does not divide. */
const BEFORE_REGEX =
  /(?:^|[([{}=,:;!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|await|yield|throw))\s*$/;

/**
 * Masks comments and the contents of literals.
 *
 * @param text TypeScript source.
 */
export function maskCode(text: string): MaskedCode {
  const strings = new Map<number, string>();
  /** Depth of braces at which each open `${` of a template ends. */
  const templates: number[] = [];
  let code = "";
  let depth = 0;
  let at = 0;

  const copy = (end: number): void => {
    code += text.slice(at, end);
    at = end;
  };
  const blank = (end: number): void => {
    code += text.slice(at, end).replace(/[^\n]/g, " ");
    at = end;
  };
  const template = (): void => {
    const end = endOfLiteral(text, at, /\\[^]|`|\$\{/g, (token) => token === "`" || token === "${");
    const opensHole = text.startsWith("${", end - 2) && text[end - 1] === "{";
    blank(end - (opensHole ? 2 : 1));
    copy(end);
    if (!opensHole) return;
    templates.push(depth);
    depth += 1;
  };

  while (at < text.length) {
    const char = text[at];
    if (text.startsWith("//", at)) blank(endOr(text, text.indexOf("\n", at)));
    else if (text.startsWith("/*", at)) blank(endOr(text, text.indexOf("*/", at + 2), 2));
    else if (char === '"' || char === "'") {
      const end = endOfLiteral(text, at + 1, /\\[^]|["'\n]/g, (token) => token === char || token === "\n");
      strings.set(at, text.slice(at + 1, end - 1));
      copy(at + 1);
      blank(end - 1);
      copy(end);
    } else if (char === "`") {
      copy(at + 1);
      template();
    } else if (char === "/" && BEFORE_REGEX.test(code.slice(-40))) {
      copy(at + 1);
      blank(endOfRegex(text, at));
    } else if (char === "{") {
      depth += 1;
      copy(at + 1);
    } else if (char === "}") {
      depth -= 1;
      copy(at + 1);
      if (templates.at(-1) === depth) {
        templates.pop();
        template();
      }
    } else copy(at + 1);
  }
  return { code, strings };
}

function endOr(text: string, found: number, length = 0): number {
  return found === -1 ? text.length : found + length;
}

function endOfLiteral(text: string, from: number, tokens: RegExp, ends: (token: string) => boolean): number {
  tokens.lastIndex = from;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    if (ends(match[0])) return tokens.lastIndex;
  }
  return text.length;
}

function endOfRegex(text: string, from: number): number {
  const tokens = /\\[^]|[[\]/\n]/g;
  tokens.lastIndex = from;
  let inClass = false;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    if (match[0] === "[") inClass = true;
    else if (match[0] === "]") inClass = false;
    else if (match[0] === "\n" || (match[0] === "/" && !inClass)) return tokens.lastIndex - 1;
  }
  return text.length;
}
