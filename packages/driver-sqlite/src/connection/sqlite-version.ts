/** Which SQLite the statements of this driver need. Node brings its own, but may be built with that of the system. */
import { ConfigurationError } from "riverqueue/driver";

/** The first with `jsonb_each`, which bulk insertion is built on. */
const OLDEST_SQLITE: readonly [major: number, minor: number] = [3, 51];

/**
 * Checks the SQLite that `node:sqlite` uses.
 *
 * @throws ConfigurationError naming both versions when it is too old.
 */
export function assertSqliteVersion(version: string = process.versions.sqlite ?? ""): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_SQLITE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new ConfigurationError(
    `SQLite ${version || "of this Node.js"} is too old: River needs ${OLDEST_SQLITE.join(".")} or newer, as Node.js 26 brings it`,
  );
}
