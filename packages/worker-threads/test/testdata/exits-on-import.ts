/** A module that ends its thread while it is loaded. */
process.exit(8);

export function neverReached(): void {}
export function alsoNeverReached(): void {}
