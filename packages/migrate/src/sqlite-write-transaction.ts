/**
 * The write transaction of one migration step on SQLite.
 *
 * A step may put a new table in the place of an old one. While foreign keys are enforced, dropping the old table first
 * deletes its rows, and with them whatever rows of the application cascade from them; and renaming the new one fails
 * where a view of the application names the table. So enforcement and the check of views are off during a step. They
 * can be switched only outside a transaction, and are back as they were while the lock is waited for. A step that would
 * leave rows of the application without the rows they refer to is refused instead.
 */
import type { MigrationSession } from "riverqueue/driver";
import { MigrationProblem } from "./migration-problem.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";
import { rollBack } from "./transaction.ts";

/** Rows that refer to a missing row of one of River's tables. */
const COUNT_ORPHANS = `
select count(*) as orphans
from sqlite_master as child, pragma_foreign_key_check(child.name) as broken
where child.type = 'table'
  and broken.parent like 'river\\_%' escape '\\'
  and exists (
    select 1 from pragma_foreign_key_list(child.name) as reference
    where reference."table" like 'river\\_%' escape '\\'
  )
`.trim();

interface Switches {
  readonly foreignKeys: boolean;
  readonly legacyRename: boolean;
}

/** Runs `body` with the write lock held from the start. Commits when it resolves and rolls back when it rejects. */
export async function inSqliteWriteTransaction<T>(session: MigrationSession, body: () => Promise<T>): Promise<T> {
  const before = await retryWhileLocked(() => begin(session));
  try {
    const result = before.foreignKeys ? await withoutNewOrphans(session, body) : await body();
    // In rollback-journal mode a commit waits until readers have finished; the transaction stays open meanwhile.
    await retryWhileLocked(() => session.execute("commit"));
    return result;
  } catch (error) {
    await rollBack(session);
    throw error;
  } finally {
    await setSwitches(session, before);
  }
}

async function begin(session: MigrationSession): Promise<Switches> {
  const before = await readSwitches(session);
  await setSwitches(session, { foreignKeys: false, legacyRename: true });
  try {
    await session.execute("begin immediate");
    return before;
  } catch (error) {
    await setSwitches(session, before);
    throw error;
  }
}

async function withoutNewOrphans<T>(session: MigrationSession, body: () => Promise<T>): Promise<T> {
  const before = await countOrphans(session);
  const result = await body();
  if ((await countOrphans(session)) > before) {
    throw new MigrationProblem("rows of other tables refer to rows that would be dropped");
  }
  return result;
}

async function countOrphans(session: MigrationSession): Promise<number> {
  const [row] = await session.query(COUNT_ORPHANS);
  return Number(row?.["orphans"]);
}

async function readSwitches(session: MigrationSession): Promise<Switches> {
  const read = async (name: string): Promise<boolean> => {
    const [row] = await session.query(`pragma ${name}`);
    return Number(row?.[name]) === 1;
  };
  return { foreignKeys: await read("foreign_keys"), legacyRename: await read("legacy_alter_table") };
}

async function setSwitches(session: MigrationSession, { foreignKeys, legacyRename }: Switches): Promise<void> {
  await session.execute(`pragma foreign_keys = ${Number(foreignKeys)}`);
  await session.execute(`pragma legacy_alter_table = ${Number(legacyRename)}`);
}
