/** Fencing: a leader's statements do nothing once its term is over. */
import type { LeaderTerm } from "riverqueue/driver";
import { formatTime } from "../record/canonical-time.ts";
import type { Unit } from "../scope/unit.ts";
import { FENCE } from "../sql/leader/fence.ts";

/** Rolls a fenced transaction back; its verb then answers null. */
export class TermOver extends Error {}

/** Whether `term` is the present one. Asked inside the transaction that it fences. */
export function holdsTerm(unit: Unit, { leaderId, electedAt }: LeaderTerm): boolean {
  return unit.connection.row(FENCE, leaderId, formatTime(electedAt), unit.now) !== undefined;
}
