/** Why a run cannot go on, in words for the caller. The migrator turns it into a `MigrationError`. */

/** See the file header. */
export class MigrationProblem extends Error {}
