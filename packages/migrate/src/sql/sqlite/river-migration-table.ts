/** The two forms of the table that records what has been applied: by version alone (1 to 4), by line and version (5 on). */

/** Statements that create the form of versions 1 to 4. */
export const migrationsByVersion: string = `
create table river_migration (
  id integer primary key,
  created_at timestamp not null default current_timestamp,
  version integer not null,
  constraint version check (version >= 1)
);

create unique index river_migration_version_idx on river_migration (version);
`.trim();

/** The form of version 5, under the name it has while rows are copied into it. */
export const migrationsByLine: string = `
create table river_migration_rebuilt (
  line text not null,
  version integer not null,
  created_at timestamp not null default current_timestamp,
  constraint line_length check (length(line) > 0 and length(line) < 128),
  constraint version_gte_1 check (version >= 1),
  primary key (line, version)
);
`.trim();
