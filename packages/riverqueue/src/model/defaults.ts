/** Defaults that every River client shares, whatever its language. */

/** Attempts a job gets unless its insertion says otherwise. */
export const MAX_ATTEMPTS_DEFAULT = 25;
/** Priority of a job unless its insertion says otherwise; 1 is worked first, 4 last. */
export const PRIORITY_DEFAULT = 1;
/** Queue of a job unless its insertion says otherwise. */
export const QUEUE_DEFAULT = "default";
/** Entries kept in `attempted_by`; a claim drops the oldest beyond it. */
export const ATTEMPTED_BY_LIMIT = 100;
