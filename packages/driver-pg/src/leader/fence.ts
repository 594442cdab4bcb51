/** Fencing: a transaction of a leader asks whether its term still holds, and comes to nothing when it does not. */
import type { LeaderTerm } from "riverqueue/driver";
import type { Unit } from "../scope/unit.ts";
import { FENCE } from "../sql/leader/fence.ts";
import { fenceValues } from "./leader-term.ts";

/** Rolls a fenced transaction back; its verb then answers null. */
export class TermOver extends Error {}

/** Whether `term` is the present one. */
export async function holdsTerm(unit: Unit, term: LeaderTerm): Promise<boolean> {
  return (await unit.row(FENCE, ...fenceValues(unit, term)))?.[0] === "true";
}
