// Keeps files short enough to be read at once.
import { isCode, isTest, type Problem, type SourceFile } from "./source-tree.ts";

const PRODUCTION_LINES = 400;
const TEST_LINES = 600;
const README_LINES = 200;

/** Tables of data may be as long as the data: a folder `testdata/`, or a file `*.data.ts`. */
const DATA = /(?:^|\/)testdata\/|\.data\.ts$/;

/**
 * Reports code files and README files with more lines than allowed.
 *
 * @param files The repository.
 */
export function checkFileLength(files: readonly SourceFile[]): Problem[] {
  return files.flatMap((file) => {
    const limit = lineLimit(file);
    const lines = file.text.split("\n").length - (file.text.endsWith("\n") ? 1 : 0);
    if (lines <= limit) return [];
    return [{ path: file.path, line: limit + 1, message: `has ${lines} lines; the limit is ${limit}` }];
  });
}

function lineLimit(file: SourceFile): number {
  if (file.path.endsWith("README.md")) return README_LINES;
  if (!isCode(file) || DATA.test(file.path)) return Number.POSITIVE_INFINITY;
  return isTest(file) ? TEST_LINES : PRODUCTION_LINES;
}
