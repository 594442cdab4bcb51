/** How statements are written for one driver: where the tables are, and who reads the result. */
import { hash } from "node:crypto";

/** See the file header. */
export interface Dialect {
  /** Written before the name of each table, type and function: `"schema".`, or nothing. */
  readonly prefix: string;
  /** Expression for the name of the schema. */
  readonly schema: string;
  /** The server can NOTIFY. */
  readonly notifies: boolean;
  /** The server tells by `xmax` whether an upsert inserted; otherwise a nonce in metadata does. */
  readonly tellsByXmax: boolean;
  /** Every column has type `text`, because parsers that are not River's read the result. */
  readonly textual: boolean;
}

/** SQL text for a dialect. Compared by identity, so templates are constants of modules. */
export type SqlTemplate = (dialect: Dialect) => string;

/** A statement ready to be sent. */
export interface Statement {
  readonly text: string;
  /** Name for preparing it; the same text always has the same name, so drivers may share a connection. */
  readonly name: string;
}

const statements = new WeakMap<Dialect, Map<SqlTemplate, Statement>>();

/** Statements of other texts than River's own; few say that they are to be prepared, and this is where it ends. */
const TEXT_LIMIT = 200;
const texts = new Map<string, Statement>();

/** The statement of a text that River did not write. */
export function statementOfText(text: string): Statement {
  const known = texts.get(text);
  if (known !== undefined) return known;
  const [oldest] = texts.keys();
  if (oldest !== undefined && texts.size >= TEXT_LIMIT) texts.delete(oldest);
  const statement = named(text);
  texts.set(text, statement);
  return statement;
}

function named(text: string): Statement {
  return { text, name: `river_${hash("sha256", text, "hex").slice(0, 32)}` };
}

/** The statement of a template, made once. */
export function statementOf(template: SqlTemplate, dialect: Dialect): Statement {
  let made = statements.get(dialect);
  if (made === undefined) statements.set(dialect, (made = new Map()));
  let statement = made.get(template);
  if (statement === undefined) {
    made.set(template, (statement = named(template(dialect))));
  }
  return statement;
}

/** `name` as a quoted SQL identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** `text` as an SQL literal, whatever the server makes of backslashes. */
export function quoteLiteral(text: string): string {
  const quoted = text.replaceAll("'", "''");
  return quoted.includes("\\") ? ` E'${quoted.replaceAll("\\", "\\\\")}'` : `'${quoted}'`;
}

/** The dialect for tables in `schema`, or in the connection's default schema when it is null. */
export function dialectFor(
  schema: string | null,
  facts: Pick<Dialect, "notifies" | "tellsByXmax">,
  textual: boolean,
): Dialect {
  return Object.freeze({
    prefix: schema === null ? "" : `${quoteIdentifier(schema)}.`,
    schema: schema === null ? "current_schema()" : `${quoteLiteral(schema)}::text`,
    notifies: facts.notifies,
    tellsByXmax: facts.tellsByXmax,
    textual,
  });
}

/** A column or expression in the form in which results are read. */
export function readable({ textual }: Dialect, expression: string, name?: string): string {
  if (!textual) return expression;
  return `(${expression})::text${name === undefined ? "" : ` AS ${name}`}`;
}
