// Type-checks the TypeScript that the documents show, against the sources of the packages. A fence is a module of its
// own; one that is not meant to compile says so: ```ts ignore.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Problem, type SourceFile } from "./source-tree.ts";

/** One TypeScript fence of a document. */
export interface CodeFence {
  readonly path: string;
  /** Line of the first line of code; first is 1. */
  readonly line: number;
  readonly code: string;
}

const FENCE = /^```(?:ts|typescript)[ \t]*([^\n]*)\n([^]*?)^```[ \t]*$/gm;

/**
 * Lists the fences that have to compile.
 *
 * @param files The repository.
 */
export function findCodeFences(files: readonly SourceFile[]): CodeFence[] {
  return files
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(FENCE)]
        .filter((match) => !/\bignore\b/.test(match[1] ?? ""))
        .map((match) => ({ path, line: text.slice(0, match.index).split("\n").length + 1, code: match[2] ?? "" })),
    );
}

/**
 * Type-checks the fences.
 *
 * @param files The repository.
 * @param root Its folder, with `node_modules` and `tsconfig.dev.json`; the fences are written below `node_modules/.cache`.
 * @throws Error when the compiler ends badly without naming a place in a fence.
 */
export function checkCodeFences(files: readonly SourceFile[], root: string): Problem[] {
  const fences = findCodeFences(files);
  if (fences.length === 0) return [];
  const folder = join(root, "node_modules", ".cache", "code-fences");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const byFile = new Map(fences.map((fence, index) => [`fence-${index}.ts`, fence]));
  for (const [name, fence] of byFile) {
    // Empty lines in front, so that the compiler's line numbers are those of the document.
    writeFileSync(join(folder, name), `${"\n".repeat(fence.line - 1)}${fence.code}\nexport {};\n`);
  }
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: relative(folder, join(root, "tsconfig.dev.json")),
      compilerOptions: {
        declaration: false,
        isolatedDeclarations: false,
        typeRoots: [join(root, "node_modules/@types")],
      },
      include: ["*.ts"],
    }),
  );
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  });
  const problems = [...stdout.matchAll(/^(fence-\d+\.ts)\((\d+),\d+\): (.+)$/gm)].flatMap((match) => {
    const fence = byFile.get(match[1] ?? "");
    return fence === undefined ? [] : [{ path: fence.path, line: Number(match[2]), message: match[3] ?? "" }];
  });
  if (status !== 0 && problems.length === 0) throw new Error(`tsc failed on the code fences:\n${stdout}${stderr}`);
  return problems;
}
