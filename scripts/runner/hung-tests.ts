/**
 * Ends test files that do not end. The time limit of a test is kept by the test's own process, so it says nothing where
 * that process is blocked, or spins while it ends: then the whole run would wait for it for ever, and not say for which.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const LOOK_EVERY_MS = 5_000;

/** A test file whose process has run too long. */
interface HungFile {
  readonly pid: number;
  readonly file: string;
  readonly seconds: number;
}

/** Looks every few seconds after the children of the test runner `pid`. Windows, which has no `ps`, goes without. */
export function endHungTests(pid: number, limitMs: number, lookEveryMs: number = LOOK_EVERY_MS): Disposable {
  const killed = new Set<number>();
  const look = async (): Promise<void> => {
    for (const hung of await hungFiles(pid, limitMs)) {
      if (killed.has(hung.pid)) continue;
      killed.add(hung.pid);
      console.error(`${hung.file} has not ended within ${hung.seconds} s; its process ${hung.pid} is killed`);
      kill(hung.pid);
    }
  };
  const timer = setInterval(() => void look().catch(() => {}), lookEveryMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function hungFiles(parent: number, limitMs: number): Promise<HungFile[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,etime=,args="], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, ppid, elapsed = "", args = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const file = /\S+\.test\.m?[jt]s$/.exec(args.trimEnd())?.[0];
    const seconds = secondsOf(elapsed);
    if (Number(ppid) !== parent || file === undefined || seconds * 1000 < limitMs) return [];
    return [{ pid: Number(pid), file, seconds }];
  });
}

/** `[[days-]hours:]minutes:seconds` */
function secondsOf(elapsed: string): number {
  const [clock = "", days = "0"] = elapsed.split("-").toReversed();
  return clock.split(":").reduce((total, part) => total * 60 + Number(part), 0) + Number(days) * 86_400;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself meanwhile.
  }
}
