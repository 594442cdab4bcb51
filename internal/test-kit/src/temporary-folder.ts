/** Folders that live as long as a test, and longer when it fails. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A new empty folder. It is removed when the test has passed, and kept, with its path among the test's output, when not. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "river-test-"));
  t.after(() => {
    if (t.passed) rmSync(folder, { recursive: true, force: true });
    else t.diagnostic(`kept ${folder}`);
  });
  return folder;
}
