/** Writes statements for both dialects from one template. */
import type { SqlDatabase, SqlStatement, SqlValue } from "../seam/sql-database.ts";

/** A piece of SQL that is put in as it is. */
export class SqlFragment {
  readonly strings: readonly string[];
  readonly parts: readonly SqlPart[];

  constructor(strings: readonly string[], parts: readonly SqlPart[]) {
    this.strings = strings;
    this.parts = parts;
  }
}

/** What a template takes: values are bound, fragments are put in. */
export type SqlPart = SqlFragment | SqlValue;

/** Template tag: `` sql`select * from ${table} where id = ${id}` ``. */
export function sql(strings: TemplateStringsArray, ...parts: readonly SqlPart[]): SqlFragment {
  return new SqlFragment(strings, parts);
}

/** A fixed text, never one that a caller gave. */
export function raw(text: string): SqlFragment {
  return new SqlFragment([text], []);
}

/** The fragments with `separator` between them. */
export function join(fragments: readonly SqlFragment[], separator: string): SqlFragment {
  const strings = ["", ...fragments.slice(1).map(() => separator), ""];
  return fragments.length === 0 ? raw("") : new SqlFragment(strings, fragments);
}

/** The template as a statement of the dialect. */
export function statement(dialect: SqlDatabase["dialect"], fragment: SqlFragment): SqlStatement {
  const values: SqlValue[] = [];
  const place = dialect === "sqlite" ? () => "?" : () => `$${values.length}`;
  const write = ({ strings, parts }: SqlFragment): string =>
    strings.reduce((text, string, index) => {
      const part = parts[index - 1];
      if (part instanceof SqlFragment) return text + write(part) + string;
      values.push(part ?? null);
      return text + place() + string;
    });
  return { text: write(fragment), values };
}
