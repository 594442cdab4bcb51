/** What the compiler accepts and refuses about inserting. Nothing here runs. */
import { z } from "zod";
import type { Equal } from "../definition/testdata/equal.ts";
import { defineJob } from "../../src/definition/define-job.ts";
import type { InsertManyItem } from "../../src/insert/insert-many.ts";
import type { InsertResult } from "../../src/insert/insert-result.ts";
import type { JobInserter } from "../../src/insert/job-inserter.ts";

interface Mail {
  to: string;
  copies?: string[];
}
interface Transaction {
  readonly transaction: true;
}
declare const inserter: JobInserter<Transaction>;
declare const tx: Transaction;

const mail = defineJob<Mail>()({ kind: "mail" });
const resize = defineJob({
  kind: "resize",
  schema: z.object({ width: z.coerce.number<string>(), tags: z.array(z.string()) }),
});
const anything = defineJob({ kind: "anything" });

// One job.
const one = await inserter.insert(mail, { to: "ada" }, { queue: "mail", tx });
true satisfies Equal<typeof one, InsertResult<Mail>>;
true satisfies Equal<(typeof one)["status"], "duplicate" | "inserted">;
// @ts-expect-error the arguments are another kind's
await inserter.insert(mail, { width: "1" });
// @ts-expect-error the arguments are the schema's input, not its output
await inserter.insert(resize, { width: 1, tags: [] });
// @ts-expect-error the transaction is another driver's
await inserter.insert(mail, { to: "ada" }, { tx: { other: true } });
// @ts-expect-error no such option
await inserter.insert(mail, { to: "ada" }, { priorty: 1 });
// @ts-expect-error paths are strings
await inserter.insert(mail, { to: "ada" }, { unique: { byArgs: [1] } });

// Several: results are a tuple in order of the items.
const results = await inserter.insertMany([
  { job: mail, args: { to: "ada", copies: ["b"] } },
  { job: resize, args: { width: "1", tags: ["t"] }, options: { delay: { seconds: 1 } } },
  { job: anything, args: { n: 1 } },
]);
true satisfies Equal<
  typeof results,
  [InsertResult<Mail>, InsertResult<{ width: string; tags: string[] }>, InsertResult]
>;

// Lists of unknown length.
const mails: Mail[] = [];
const fromMap = await inserter.insertMany(
  mails.map((args) => ({ job: mail, args })),
  { tx },
);
true satisfies Equal<typeof fromMap, InsertResult<Mail>[]>;
const mixed: InsertManyItem[] = [
  { job: mail, args: { to: "ada" } },
  { job: resize, args: { width: "1", tags: [] } },
];
const fromMixed = await inserter.insertMany(mixed);
true satisfies Equal<typeof fromMixed, InsertResult[]>;
const spread = await inserter.insertMany([...mails.map((args) => ({ job: mail, args })), { job: anything, args: {} }]);
true satisfies Equal<typeof spread, [...InsertResult<Mail>[], InsertResult]>;
const readonlyItems = [{ job: mail, args: { to: "ada" } }] as const;
const fromReadonly = await inserter.insertMany(readonlyItems);
true satisfies Equal<typeof fromReadonly, [InsertResult<Mail>]>;
const none = await inserter.insertMany([]);
true satisfies Equal<typeof none, []>;

await inserter.insertMany([
  { job: mail, args: { to: "ada" } },
  // @ts-expect-error the arguments are the first item's
  { job: resize, args: { to: "ada" } },
]);
// @ts-expect-error an item needs arguments
await inserter.insertMany([{ job: mail }]);
// @ts-expect-error transactions belong to the call, not to an item
await inserter.insertMany([{ job: mail, args: { to: "ada" }, options: { tx } }]);
