/** Files beside the data of a server that runs under another account. */
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes a file into `folder` that its owner alone may read, which a server asks of its private key. */
export function writeServerFile(folder: string, name: string, text: string): void {
  const { uid, gid } = statSync(folder);
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
}
