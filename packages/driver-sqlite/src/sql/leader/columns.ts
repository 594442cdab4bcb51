/** The columns of a term in the order that `leaderTerm` reads. */
export const TERM_COLUMNS = "leader_id, elected_at, expires_at";
