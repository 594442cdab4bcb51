/** The two forms of the table that records what has been applied: by version alone (1 to 4), by line and version (5 on). */
import { SCHEMA } from "../../schema-template.ts";

/** Statements that create the form of versions 1 to 4. */
export const migrationsByVersion: string = `
create table ${SCHEMA}river_migration (
  id bigserial primary key,
  created_at timestamptz not null default now(),
  version bigint not null,
  constraint version check (version >= 1)
);

create unique index river_migration_version_idx on ${SCHEMA}river_migration (version);
`.trim();

/** Statement that creates the form of version 5. */
export const migrationsByLine: string = `
create table ${SCHEMA}river_migration (
  line text not null,
  version bigint not null,
  created_at timestamptz not null default now(),
  constraint line_length check (char_length(line) > 0 and char_length(line) < 128),
  constraint version_gte_1 check (version >= 1),
  primary key (line, version)
);
`.trim();

/**
 * Runs plpgsql statements if `river_migration` exists. It does not where another tool runs these migrations and leaves
 * out version 1.
 */
export function whereMigrationsAreRecorded(statements: string): string {
  return `
do $river$
begin
  begin
    perform from ${SCHEMA}river_migration limit 0;
  exception when undefined_table then
    return;
  end;

${statements.replaceAll(/^(?=.)/gm, "  ")}
end;
$river$;
`.trim();
}
