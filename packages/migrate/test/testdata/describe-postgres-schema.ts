/** Describes what a Postgres schema holds as lines of text, so that two schemas can be compared. */

/** Lines by kind and name of the object, in the order of their keys. */
export type PostgresSchemaDescription = Readonly<Record<string, readonly string[]>>;

/** The part of a connection that the description needs. */
export interface DescribingConnection {
  query(text: string, values: unknown[]): Promise<{ rows: { object: string; line: string | null }[] }>;
}

/** What the schema holds; the connection's search path is that schema afterwards, so that no name comes qualified. */
export async function describePostgresSchema(
  connection: DescribingConnection,
  schema: string,
): Promise<PostgresSchemaDescription> {
  await connection.query("select set_config('search_path', quote_ident($1), false)", [schema]);
  const description: Record<string, string[]> = {};
  for (const query of [RELATIONS, COLUMNS, CONSTRAINTS, INDEXES, TRIGGERS, ENUMS, FUNCTIONS]) {
    const { rows } = await connection.query(query, [schema]);
    for (const { object, line } of rows) {
      const lines = (description[object] ??= []);
      if (line !== null) lines.push(line);
    }
  }
  return Object.fromEntries(Object.entries(description).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const KINDS = `(values ('r', 'table'), ('S', 'sequence'), ('v', 'view'), ('m', 'materialized view'), ('p', 'partitioned table'))
  as kinds (relkind, kind)`;

/** The relations of the schema with what they are called in the description. */
const FROM_RELATIONS = `from pg_class r join ${KINDS} on kinds.relkind = r.relkind::text
  cross join lateral (select kind || ' ' || relname as object) o`;

const IN_SCHEMA = "(select oid from pg_namespace where nspname = $1)";

const RELATIONS = `select object, line ${FROM_RELATIONS} left join lateral (
    select 'unlogged' as line where relpersistence = 'u' union all select unnest(reloptions)
  ) l on true
  where relnamespace = ${IN_SCHEMA} order by object, line collate "C"`;

const COLUMNS = `select object, concat_ws(', ',
    'column ' || attname || ' ' || format_type(atttypid, atttypmod),
    case when attnotnull then 'not null' end,
    'default ' || pg_get_expr(adbin, adrelid, true),
    'identity ' || nullif(attidentity::text, ''),
    'generated ' || nullif(attgenerated::text, '')
  ) as line ${FROM_RELATIONS}
  join pg_attribute on attrelid = r.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relnamespace = ${IN_SCHEMA} and attnum > 0 and not attisdropped and kind <> 'sequence' order by object, attnum`;

/** Without those that say "not null", which only newer servers list. */
const CONSTRAINTS = `select object, 'constraint ' || conname || ': ' || pg_get_constraintdef(c.oid, true) as line
  ${FROM_RELATIONS} join pg_constraint c on conrelid = r.oid
  where connamespace = ${IN_SCHEMA} and contype in ('c', 'f', 'p', 'u', 'x') order by object, conname collate "C"`;

const INDEXES = `select object, concat('index ', i.relname, ': ', case when indisunique then 'unique ' end,
    substring(pg_get_indexdef(i.oid, 0, true) from ' USING (.*)'),
    case when not indisvalid then ', not valid' end) as line
  ${FROM_RELATIONS} join pg_index on indrelid = r.oid join pg_class i on i.oid = indexrelid
  where r.relnamespace = ${IN_SCHEMA} order by object, i.relname collate "C"`;

const TRIGGERS = `select object, 'trigger ' || tgname || ': ' ||
    regexp_replace(pg_get_triggerdef(t.oid, true), '^CREATE (CONSTRAINT )?TRIGGER [^ ]+ ', '') as line
  ${FROM_RELATIONS} join pg_trigger t on tgrelid = r.oid
  where relnamespace = ${IN_SCHEMA} and not tgisinternal order by object, tgname collate "C"`;

const ENUMS = `select 'enum ' || typname as object, enumlabel::text as line
  from pg_type t join pg_enum on enumtypid = t.oid
  where typnamespace = ${IN_SCHEMA} order by typname collate "C", enumsortorder`;

const FUNCTIONS = `select 'function ' || proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as object,
    concat_ws(', ', 'returns ' || pg_get_function_result(p.oid), lanname,
      case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
      case when proisstrict then 'strict' end, case when prosecdef then 'security definer' end) as line
  from pg_proc p join pg_language l on l.oid = prolang
  where pronamespace = ${IN_SCHEMA} order by object`;
