/** The driver makes its transaction type known to code that names none. */
import type { DatabaseSync } from "node:sqlite";
import type { RegisteredTransaction } from "riverqueue";
// oxlint-disable-next-line import/no-empty-named-blocks, unicorn/require-module-specifiers -- its presence is what counts
import type {} from "@riverqueue/driver-sqlite";

declare const database: DatabaseSync;
const transaction: RegisteredTransaction = database;
// @ts-expect-error -- anything else is no transaction once the driver is installed
const other: RegisteredTransaction = "no transaction";

void transaction;
void other;
