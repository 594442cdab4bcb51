// A process that emits when told: `sender.ts BACKEND ADDRESS`. Handlers write their effects, keyed by execution id, into a
// table of the application. With `dieAfter` it kills itself at that step.
import { DatabaseSync } from "node:sqlite";
import { PgDriver } from "@riverqueue/driver-pg";
import { SqliteDriver } from "@riverqueue/driver-sqlite";
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import { createReaction, type EmitResult } from "@riverqueue/reaction";
import { createEmbeddedHome } from "@riverqueue/reaction/embedded";
import { Pool } from "pg";
import { OrderPaid, orderCommands, orderPolicy, type Work } from "./order-paid.ts";
import { listeningLogger, testCtx } from "./test-ctx.ts";

/** What the parent says. */
interface Order {
  readonly count: number;
  /** Of the emits, those that carry another payload. */
  readonly different: number;
  readonly key: string;
  /** End by SIGKILL between the records and the message. */
  readonly die: boolean;
}

const [backend, address = ""] = process.argv.slice(2);

function connect(): { driver: never; write: (text: string, values: string[]) => Promise<unknown>; close: () => unknown } {
  if (backend === "sqlite") {
    const database = new DatabaseSync(address);
    const write = (text: string, values: string[]) => Promise.resolve(database.prepare(text.replaceAll(/\$\d/g, "?")).run(...values));
    database.exec("pragma busy_timeout = 10000");
    const driver = new SqliteDriver(database);
    return { driver: driver as never, write, close: () => driver.close() };
  }
  const pool = new Pool({ connectionString: address, max: 5 });
  const write = (text: string, values: string[]) => pool.query(text, values);
  return { driver: new PgDriver(pool) as never, write, close: () => pool.end() };
}

const { driver, write, close } = connect();
const home = createEmbeddedHome({ driver, logger: listeningLogger() });
const effect =
  (name: string): Work =>
  async ({ executionId }) => {
    if (dies && name === "grant_role") process.kill(process.pid, "SIGKILL");
    await write("insert into effects (execution_id, name) values ($1, $2)", [executionId, name]);
  };
let dies = false;
const { grant, send } = orderCommands({ grant: effect("grant_role"), send: effect("send_receipt") });
const { processor } = createReaction({ policies: [orderPolicy(grant, send)], ...home.parts });

say("ready");
for (;;) {
  const order = (await hear()) as Order | undefined;
  if (order === undefined) break;
  const { count, different, key, die } = order;
  dies = die;
  const emits = Array.from({ length: count }, (_, index) => {
    const payload = { orderId: index < different ? `other ${index}` : "1" };
    return processor.emit(testCtx(), OrderPaid.create({ idempotencyKey: key, payload }));
  });
  say((await Promise.all(emits)).map(brief));
}
home.close();
await close();

function brief({ status, event, commands, payloadMismatch }: EmitResult): object {
  return { status, eventId: event?.id, payload: event?.payload, commands, payloadMismatch: payloadMismatch === true };
}
