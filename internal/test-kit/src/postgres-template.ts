/** A migrated, empty database that tests copy. Made once a run, or once a test process where nobody has prepared one. */
import { createMigrator } from "@riverqueue/migrate";
import { connectTo } from "./postgres-connections.ts";

/** Names the template that the run has prepared on the server of `DATABASE_URL`. */
export const TEMPLATE_VARIABLE = "RIVER_TEST_TEMPLATE";

/** Creates the template named `name`, in place of one that a killed run has left. */
export async function createTemplate(url: string, name: string): Promise<void> {
  const admin = await connectTo({ connectionString: url });
  try {
    await admin.query(`drop database if exists ${name}`);
    await admin.query(`create database ${name}`);
  } finally {
    await admin.end();
  }
  const client = await connectTo({ connectionString: databaseAddress(url, name) });
  try {
    await createMigrator({ client }).migrateUp();
  } finally {
    await client.end();
  }
}

/** Removes it. */
export async function dropTemplate(url: string, name: string): Promise<void> {
  const admin = await connectTo({ connectionString: url });
  try {
    await admin.query(`drop database if exists ${name}`);
  } finally {
    await admin.end();
  }
}

/** The address of another database of the same server. */
export function databaseAddress(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}
