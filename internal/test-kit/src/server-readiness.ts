/** Waits until a server that runs as a child process says in its log that it can be used. */
import type { ChildProcess } from "node:child_process";

/** Resolves once the log has `words`; rejects with its end when the server ends before. */
export function serverReadiness(child: ChildProcess, name: string, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-8_000);
      if (log.includes(words)) resolve();
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}\n${log}`)));
  });
}
