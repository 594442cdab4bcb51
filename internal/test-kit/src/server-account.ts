/** Whose account servers of tests run under. */
import { execFileSync } from "node:child_process";

/** What `spawn` takes; nothing for the own account. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Postgres and PgBouncer refuse to run as root, so root lends them the account that owns nothing. */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  return { uid: idOfNobody("-u"), gid: idOfNobody("-g") };
}

function idOfNobody(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}
