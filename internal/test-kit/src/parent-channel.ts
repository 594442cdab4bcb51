/** The child's end of `spawnNode`: lines of JSON to and from the parent. Import it only in a script that is a child. */
import { createInterface } from "node:readline";

const heard: unknown[] = [];
const waiting: ((message: unknown) => void)[] = [];
let ended = false;

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const wake = waiting.shift();
    if (wake === undefined) heard.push(JSON.parse(line));
    else wake(JSON.parse(line));
    keepAliveWhileWaiting();
  })
  .on("close", () => {
    ended = true;
    for (const wake of waiting.splice(0)) wake(undefined);
  });
keepAliveWhileWaiting();

/** Sends a value to the parent. */
export function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** The parent's next message, or undefined once the parent has closed the channel. Only a wait keeps the child alive. */
export function hear(): Promise<unknown> {
  if (heard.length > 0 || ended) return Promise.resolve(heard.shift());
  return new Promise((resolve) => {
    waiting.push(resolve);
    keepAliveWhileWaiting();
  });
}

function keepAliveWhileWaiting(): void {
  if (waiting.length > 0) process.stdin.ref();
  else process.stdin.unref();
}
