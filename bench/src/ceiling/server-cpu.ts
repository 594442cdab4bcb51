/** Processor time of a Postgres server on this machine, from what Linux tells of its processes. */
import { readdirSync, readFileSync } from "node:fs";

/** What Linux counts processor time in, in microseconds. */
const TICK_US = 10_000;

interface Process {
  readonly parent: number;
  readonly own: number;
  /** Of its children that have ended. */
  readonly ended: number;
}

/**
 * Processor time, in microseconds, of the server that `backend` is a process of, with all its other processes.
 *
 * @returns null where there is no such process, as with a server elsewhere or another system than Linux.
 */
export function serverCpuUs(backend: number | undefined): number | null {
  const server = backend === undefined ? null : read(backend)?.parent;
  const main = server ? read(server) : null;
  if (!server || main === null) return null;
  const children = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (read(Number(name)) ?? []) : []));
  const living = children.filter(({ parent }) => parent === server).reduce((sum, { own }) => sum + own, 0);
  return (main.own + main.ended + living) * TICK_US;
}

function read(pid: number): Process | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in brackets, may hold anything.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return null;
  }
}
