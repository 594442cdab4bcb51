/** What the server can do, found out by the driver's first connections. */
import type { PgServerKind } from "../driver-options.ts";
import { SERVER_VERSION } from "../sql/schema/server-version.ts";
import { dialectFor, type Dialect } from "./dialect.ts";
import type { StatementRunner } from "./pg-connection.ts";

const OPERATION = "connect";

/** See the file header. */
export class ServerFacts {
  readonly #schema: string | null;
  #dialect: Dialect;
  #textual: Dialect;
  #known: PgServerKind | null;

  /** @param kind - what the server is; null to ask it. */
  constructor(schema: string | null, kind: PgServerKind | null) {
    this.#schema = schema;
    this.#known = kind;
    [this.#dialect, this.#textual] = dialectsFor(schema, kind ?? "postgres");
  }

  /** The server can LISTEN and NOTIFY, as far as is known by now. */
  get notifies(): boolean {
    return this.#dialect.notifies;
  }

  /** How statements are written whose results River reads. */
  readonly dialect = (): Dialect => this.#dialect;

  /** How statements are written whose results another library reads. */
  readonly textualDialect = (): Dialect => this.#textual;

  /** Asks the server through `runner` unless it is known what it is; one that hangs holds up nobody else. */
  readonly learn = (runner: StatementRunner): Promise<void> => {
    return this.#known === null ? this.#ask(runner) : Promise.resolve();
  };

  async #ask(runner: StatementRunner): Promise<void> {
    const { rows } = await runner.run(OPERATION, SERVER_VERSION, []);
    this.#known = rows[0]?.[0]?.includes("-YB-") ? "yugabyte" : "postgres";
    [this.#dialect, this.#textual] = dialectsFor(this.#schema, this.#known);
  }
}

function dialectsFor(schema: string | null, kind: PgServerKind): [Dialect, Dialect] {
  const isPostgres = kind === "postgres";
  const can = { notifies: isPostgres, tellsByXmax: isPostgres };
  return [dialectFor(schema, can, false), dialectFor(schema, can, true)];
}
