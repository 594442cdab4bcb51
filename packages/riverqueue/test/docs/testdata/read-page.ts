/** Reads pages of `docs/` and takes their tables apart. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const DOCS = resolve(import.meta.dirname, "../../../../../docs");

/** One page. */
export class Page {
  readonly text: string;

  /** @param path - from `docs/` */
  constructor(path: string) {
    this.text = readFileSync(join(DOCS, path), "utf8");
  }

  /** Titles of the second level, in order. */
  get sections(): string[] {
    return [...this.text.matchAll(/^## (.+)$/gm)].map((match) => match[1] ?? "");
  }

  /** The text below a title of the second level. */
  section(title: string): string {
    const start = this.text.indexOf(`\n## ${title}\n`);
    if (start === -1) throw new Error(`there is no section ${title}`);
    const end = this.text.indexOf("\n## ", start + 1);
    return this.text.slice(start, end === -1 ? undefined : end);
  }

  /** Rows of the tables below a title whose first column has a name in code, without the marks of the code. */
  rows(title: string): string[][] {
    return this.section(title)
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) =>
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
  }

  /** The names in the first column. */
  names(title: string): string[] {
    return this.rows(title).map(([name = ""]) => name.replaceAll("`", ""));
  }
}

/** Every page of the documentation by its path from `docs/`, white space reduced to single spaces. */
export function allPages(): Map<string, string> {
  const paths = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"));
  return new Map(
    paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(DOCS, path), "utf8").replaceAll(/\s+/g, " ")]),
  );
}
