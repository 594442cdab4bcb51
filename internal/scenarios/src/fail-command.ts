/** Command lines that must fail. */
import assert from "node:assert/strict";
import { run } from "@riverqueue/cli";
import type { Leaks } from "./leaks.ts";

/** Runs the command line, which must fail, and looks at everything that it writes; `where` names it. */
export async function failCommand(leaks: Leaks, where: string, argv: readonly string[]): Promise<void> {
  const written: string[] = [];
  const stream = { write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
  const code = await run([...argv, "--debug"], { stdout: stream, stderr: stream });
  assert.notEqual(code, 0, written.join(""));
  assert.ok(written.length > 0);
  leaks.look(where, written.join(""));
}
