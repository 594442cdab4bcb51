/** Outcomes of handlers as River JSON text and back. */
import { cancel, complete, discard, parseJsonObject, snooze, stringifyJson, type WorkOutcome } from "riverqueue";

/** The mark of what those functions build; every copy of the core in a process uses the same. */
const MARK = Symbol.for("riverqueue.outcome");

/** Whether a handler's `returned` is an outcome. */
export function isOutcome(returned: unknown): returned is WorkOutcome {
  return (
    typeof returned === "object" && returned !== null && Object.getOwnPropertyDescriptor(returned, MARK) !== undefined
  );
}

/**
 * JSON text of an outcome; a duration is ISO 8601 text in it.
 *
 * @throws TypeError for what only has the mark of an outcome: it must not be taken for any of them.
 */
export function encodeOutcome(outcome: WorkOutcome): string {
  const { type } = outcome;
  if (type === "complete") {
    return outcome.output === undefined
      ? PLAIN_COMPLETE
      : `{"type":"complete","output":${stringifyJson(outcome.output)}}`;
  }
  if (type === "snooze") return stringifyJson({ type, duration: outcome.duration.toString() });
  if (type !== "discard" && type !== "cancel") throw new TypeError("the handler returned an outcome of no known type");
  // River replaces in a recorded reason what no database stores; JSON cannot hold it either.
  return stringifyJson({ type, reason: outcome.reason?.toWellFormed().replaceAll("\0", "\uFFFD") });
}

/** The outcome again, built by the functions that handlers build outcomes with. */
export function decodeOutcome(text: string): WorkOutcome {
  if (text === PLAIN_COMPLETE) return complete();
  const { type, output, duration, reason } = parseJsonObject(text);
  switch (type) {
    case "complete":
      return complete({ output });
    case "snooze":
      return snooze(Temporal.Duration.from(duration as string));
    case "discard":
      return discard({ reason: reason as string | undefined });
    default:
      return cancel({ reason: reason as string | undefined });
  }
}

const PLAIN_COMPLETE = '{"type":"complete"}';
