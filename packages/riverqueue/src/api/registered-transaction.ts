/** How installed drivers make their transaction types known to code that names none. */

/**
 * Each driver package adds one member whose type is its transaction: `declare module "riverqueue"`. Empty without
 * drivers.
 */
// oxlint-disable-next-line typescript/no-empty-interface -- filled by declaration merging in driver packages
export interface RiverTransactionRegistry {}

/** Union of the transaction types of all installed drivers; `unknown` when there are none. */
export type RegisteredTransaction = keyof RiverTransactionRegistry extends never
  ? unknown
  : RiverTransactionRegistry[keyof RiverTransactionRegistry];
