/** What the handler of one attempt will do. A function of seed, job and turn alone, so that a run can be replayed. */
import { seededRandom } from "@riverqueue/internal-test-kit/seeded-random";

/**
 * - `hang`: waits until it is aborted, and throws the abort's reason.
 * - `late`: completes only after another process has taken the attempt for lost.
 * - `remote`: has its own job cancelled, waits for the abort and throws its reason.
 */
export type AttemptEnd =
  | "cancel"
  | "complete"
  | "discard"
  | "fault"
  | "hang"
  | "late"
  | "output"
  | "remote"
  | "snooze"
  | "throw";

/** See the file header. */
export interface AttemptPlan {
  readonly end: AttemptEnd;
  /** How long the handler works before it ends, as a share of the longest work. */
  readonly work: number;
  /** When the job runs again, as a share of the longest delay. */
  readonly delay: number;
}

/** How often each end comes, in shares of the sum. */
const WEIGHTS: readonly (readonly [AttemptEnd, number])[] = [
  ["complete", 40],
  ["output", 15],
  ["throw", 15],
  ["snooze", 10],
  ["cancel", 4],
  ["discard", 4],
  ["fault", 4],
  ["remote", 2],
  ["hang", 1],
  ["late", 1],
];
const TOTAL = WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);

/**
 * The plan of one attempt.
 *
 * @param job - number of the job within the run.
 * @param turn - attempt and snoozes so far: what tells the attempts of a job apart.
 */
export function attemptPlan(seed: string, job: number, turn: string): AttemptPlan {
  const random = seededRandom(seed, "attempt", job, turn);
  return { end: pick(random() * TOTAL), work: random(), delay: random() };
}

function pick(point: number): AttemptEnd {
  let left = point;
  for (const [end, weight] of WEIGHTS) {
    left -= weight;
    if (left < 0) return end;
  }
  return "complete";
}
