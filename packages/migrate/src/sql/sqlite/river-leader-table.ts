/** The table of the leader's lease, as versions 2 and 4 want it. */

/** Creates the table; from version 4 on the only name a lease can have is `default`. */
export function createRiverLeader(nameRule: "any name" | "default only"): string {
  const name =
    nameRule === "any name"
      ? "name text primary key not null"
      : "name text primary key not null default 'default' check (name = 'default')";
  return `
create table river_leader (
  elected_at timestamp not null,
  expires_at timestamp not null,
  leader_id text not null,
  ${name},
  constraint name_length check (length(name) > 0 and length(name) < 128),
  constraint leader_id_length check (length(leader_id) > 0 and length(leader_id) < 128)
);
`.trim();
}
