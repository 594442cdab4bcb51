/** SQL as words: comments and layout gone, everything but quoted text in lower case. Two spellings of one thing are equal. */

const WORD = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_]\w*|\d+|<=|>=|<>|<<|::|\S/g;

/** The words of `sql`, in order. Quotes around plain names are dropped. */
export function sqlWords(sql: string): string[] {
  return [...sql.matchAll(WORD)]
    .map(([word]) => word)
    .filter((word) => !word.startsWith("--") && !word.startsWith("/*"))
    .map((word) => {
      if (word.startsWith("'")) return word;
      return word.startsWith('"') ? word.slice(1, -1) : word.toLowerCase();
    });
}

/** The words between the parenthesis at `start` and the one that closes it, as one text. */
export function insideParentheses(words: readonly string[], start: number): string {
  let depth = 0;
  for (let at = start; at < words.length; at++) {
    if (words[at] === "(") depth++;
    if (words[at] === ")") depth--;
    if (depth === 0) return words.slice(start + 1, at).join(" ");
  }
  throw new Error(`no closing parenthesis in: ${words.join(" ")}`);
}
