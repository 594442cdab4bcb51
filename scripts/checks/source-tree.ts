// What the checks look at: every file of the repository that a person wrote, read once. The checks are functions of
// such a tree, so that their tests hand them small trees of their own.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** One file of the repository. */
export interface SourceFile {
  /** Path from the root of the repository, with `/` on every system. */
  readonly path: string;
  readonly text: string;
}

/** Something a check objects to. */
export interface Problem {
  readonly path: string;
  /** First line is 1. */
  readonly line: number;
  readonly message: string;
}

const SKIPPED_FOLDERS = new Set([".git", "coverage", "dist", "etc", "node_modules"]);
const READ_FILES = /\.(?:ts|mts|mjs|js|json|jsonc|md|sql|yml|yaml)$|(?:^|\/)LICENSE$/;

/**
 * Reads the repository.
 *
 * @param root Folder of the repository.
 * @returns Its text files in the order of their paths.
 * @throws The file system's error when something cannot be read.
 */
export function readSourceTree(root: string): SourceFile[] {
  return filesBelow(root)
    .map((file) => ({ file, path: relative(root, file).replaceAll(sep, "/") }))
    .filter(({ path }) => READ_FILES.test(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ file, path }) => ({ path, text: readFileSync(file, "utf8") }));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Whether the file is code, as opposed to documentation and settings. */
export function isCode(file: SourceFile): boolean {
  return /\.(?:ts|mts|mjs|js)$/.test(file.path);
}

/** Whether the file belongs to tests: a `*.test.ts`, a `*.test-d.ts`, or anything in a folder named `test`. */
export function isTest(file: SourceFile): boolean {
  return /\.test(?:-d)?\.ts$/.test(file.path) || /(?:^|\/)test\//.test(file.path);
}

/** The line, first is 1, on which the character at `offset` stands. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
