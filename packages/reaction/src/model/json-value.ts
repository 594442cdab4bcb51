/** JSON as this package keeps it. */

/** Any JSON value. */
export type JsonValue = boolean | number | string | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
