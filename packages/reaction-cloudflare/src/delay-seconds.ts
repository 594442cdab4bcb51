/** Delays as Cloudflare Queues count them: in whole seconds, a day at most. */
import { type DurationInput, ValidationError } from "@riverqueue/reaction";
import { delayToMs } from "@riverqueue/reaction/home";

const LONGEST_SECONDS = 86_400;

/**
 * Never shorter than asked for, and nothing where nothing was asked for.
 *
 * @throws ValidationError for what is no duration, is negative, or longer than a day.
 */
export function delaySeconds(delay: DurationInput | undefined): { delaySeconds?: number } {
  if (delay === undefined) return {};
  const seconds = Math.ceil(delayToMs(delay) / 1000);
  if (seconds > LONGEST_SECONDS) throw new ValidationError("delay must be at most a day");
  return { delaySeconds: seconds };
}
