/** Reads what a handler of the application answers when it may ask for one thing. */
import { OptionProblems } from "../options/option-problems.ts";

/**
 * Whether `answer` asks for `request`: nothing does not, and `{ [request]: boolean }` says.
 *
 * @param handler the client option it comes from.
 * @throws ValidationError for any other answer: a misspelt one would be ignored for ever.
 */
export function asksFor(answer: unknown, request: string, handler: string): boolean {
  if (answer === undefined) return false;
  const problems = new OptionProblems();
  const path = `${handler}()`;
  const asked = problems.object(answer, path, [request])[request];
  if (asked !== undefined && typeof asked !== "boolean") problems.add(`${path}.${request}`, "must be a boolean");
  problems.throwValidation();
  return asked === true;
}
