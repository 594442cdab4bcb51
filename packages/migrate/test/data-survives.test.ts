import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { failOnLeaks, plain } from "@riverqueue/internal-test-kit";
import { createMigrator, MigrationError } from "@riverqueue/migrate";
import { column, openDatabase, rows } from "./testdata/open-database.ts";

failOnLeaks();

/** A job of version 6 with every column set, one with defaults only, and a paused queue. */
const FILL_VERSION_6 = `
insert into river_job (
  id, args, attempt, attempted_at, attempted_by, created_at, errors, finalized_at, kind, max_attempts, metadata, priority,
  queue, state, scheduled_at, tags, unique_key, unique_states
) values (
  41, '{"b":1,"a":[1.50,"ü"],"b":2}', 3, '2026-01-01 00:00:01.001', '["one","two"]', '2026-01-01 00:00:00.5',
  '[{"at":"2026-01-01T00:00:01Z","attempt":1,"error":"e","trace":""}]', '2026-01-01 00:00:02', 'kind', 7,
  '{"output":null}', 2, 'q', 'discarded', '2025-12-31 23:59:59.999', '["tag_1"]', x'00ff', 245
);
insert into river_job (id, kind, max_attempts) values (9007199254740993, 'bare', 25);
insert into river_queue (name, metadata, paused_at, updated_at) values ('q', '{"a":1}', '2026-01-01 00:00:00', '2026-01-02 00:00:00');
`;

function readJobs(database: DatabaseSync): unknown {
  return plain(
    rows(
      database,
      `select cast(id as text) as id, json(args) as args, attempt, attempted_at, json(attempted_by) as attempted_by,
        created_at, json(errors) as errors, finalized_at, kind, max_attempts, json(metadata) as metadata, priority, queue,
        state, scheduled_at, json(tags) as tags, unique_key, unique_states
      from river_job order by id`,
    ),
  );
}

const readQueues = (database: DatabaseSync): unknown =>
  rows(database, "select name, created_at, json(metadata) as metadata, paused_at, updated_at from river_queue");

const jsonTypes = (database: DatabaseSync): unknown =>
  column(
    database,
    `select distinct typeof(args) || typeof(metadata) || typeof(tags) || coalesce(nullif(typeof(errors), 'null'), typeof(args))
    from river_job`,
  );

test("rows of version 6 survive versions 7 and 8 and the way back, down to the last digit", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  await migrator.migrateUp({ targetVersion: 6 });
  database.exec(FILL_VERSION_6);
  const [jobs, queues] = [readJobs(database), readQueues(database)];
  assert.deepEqual(jsonTypes(database), ["texttexttexttext"]);

  await migrator.migrateUp({ targetVersion: 7 });
  assert.deepEqual([readJobs(database), readQueues(database)], [jobs, queues]);
  assert.deepEqual(jsonTypes(database), ["blobblobblobblob"]);
  assert.deepEqual(column(database, "select json_valid(args, 8) from river_job"), [1, 1], "JSON is in the binary form");

  await migrator.migrateUp();
  assert.deepEqual([readJobs(database), readQueues(database)], [jobs, queues]);
  assert.deepEqual(jsonTypes(database), ["blobblobblobblob"]);

  await migrator.migrateDown();
  assert.deepEqual([readJobs(database), readQueues(database)], [jobs, queues]);

  await migrator.migrateDown();
  assert.deepEqual([readJobs(database), readQueues(database)], [jobs, queues]);
  assert.deepEqual(jsonTypes(database), ["texttexttexttext"]);
});

test("rows of the application that refer to jobs, with its views and triggers, survive the rebuilt tables", async (t) => {
  const database = openDatabase(t, { enableForeignKeyConstraints: true });
  const migrator = createMigrator({ database });
  await migrator.migrateUp({ targetVersion: 6 });
  database.exec(`
    ${FILL_VERSION_6}
    create table files (path text primary key, job integer references river_job (id) on delete cascade);
    create table notes (queue text references river_queue (name) on delete restrict);
    insert into files values ('a.txt', 41);
    insert into notes values ('q');
    create view open_jobs as select id, kind from river_job where finalized_at is null;
    create trigger files_gone after delete on files begin delete from river_job where id = old.job; end;
  `);

  const check = (): void => {
    assert.deepEqual(rows(database, "select path, job from files"), [{ path: "a.txt", job: 41 }]);
    assert.deepEqual(column(database, "select kind from open_jobs"), ["bare"]);
    assert.deepEqual(rows(database, "pragma foreign_key_check"), []);
    assert.deepEqual(column(database, "pragma foreign_keys"), [1]);
    assert.deepEqual(column(database, "pragma legacy_alter_table"), [0]);
    assert.throws(() => database.exec("insert into files values ('b.txt', 7)"), /FOREIGN KEY/);
  };
  await migrator.migrateUp();
  check();
  await migrator.migrateDown({ targetVersion: 6 });
  check();
  await migrator.migrateUp();
  database.exec("delete from files");
  assert.deepEqual(column(database, "select count(*) from river_job where id = 41"), [0], "the trigger still works");
});

test("a step that would leave rows of the application without their jobs is refused where foreign keys are enforced", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  await migrator.migrateUp({ targetVersion: 6 });
  database.exec(`
    ${FILL_VERSION_6}
    create table files (path text, job integer references river_job (id));
    insert into files values ('a.txt', 41);
  `);
  await assert.rejects(migrator.migrateDown(), (error) => {
    assert.ok(error instanceof MigrationError);
    assert.match(error.message, /^version 6 down failed: rows of other tables refer to rows that would be dropped$/);
    return true;
  });
  assert.deepEqual(await migrator.existingVersions(), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(column(database, "select count(*) from river_job"), [2]);

  database.exec("pragma foreign_keys = off");
  assert.equal((await migrator.migrateDown()).versions.length, 1);
});

test("version 8 is refused in both directions where River Pro has added to the job table", async (t) => {
  const database = openDatabase(t);
  const migrator = createMigrator({ database });
  await migrator.migrateUp({ targetVersion: 7 });
  database.exec("create table river_workflow (id integer primary key)");
  await assert.rejects(migrator.migrateUp(), {
    name: "MigrationError",
    message: "version 8 up failed: SQLite error 19 (constraint failed), constraint river_pro_is_not_installed",
  });
  assert.deepEqual(await migrator.existingVersions(), [1, 2, 3, 4, 5, 6, 7]);
  database.exec("drop table river_workflow");
  await migrator.migrateUp();
  database.exec("create table river_workflow (id integer primary key)");
  await assert.rejects(migrator.migrateDown(), { name: "MigrationError", message: /river_pro_is_not_installed/ });
  assert.deepEqual(column(database, "select name from sqlite_temp_master"), []);
});
