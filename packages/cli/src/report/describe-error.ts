/** Says in one line what went wrong. */
import { RiverError } from "riverqueue";
import { CliProblem } from "../cli-problem.ts";
import { describeSqlState } from "./sqlstate-words.ts";

/** A text for standard error; secrets that it might hold are not yet masked. Never throws. */
export function describeError(error: unknown): string {
  if (error instanceof CliProblem) return error.message;
  if (error instanceof RiverError) return error.message + meaning(error);
  if (error instanceof Error) return `unexpected ${error.name}: ${error.message}`;
  return `unexpected ${typeof error} was thrown`;
}

/** What led to the error, one text a cause, for whoever looks closer; of an unexpected error where it came from. */
export function describeCauses(error: unknown): string[] {
  const isExpected = error instanceof CliProblem || error instanceof RiverError;
  if (!isExpected) return error instanceof Error && error.stack !== undefined ? [error.stack] : [];
  const [, ...behind] = causes(error);
  return behind.map((cause) => {
    const fields = Object.entries(cause).filter(([, value]) => typeof value === "string");
    return [cause.name, ...fields.map(([name, value]) => `${name}=${String(value)}`)].join(" ");
  });
}

function meaning(error: RiverError): string {
  const state = causes(error)
    .map((cause) => (cause as { readonly code?: unknown }).code)
    .find((code) => typeof code === "string" && /^[0-9A-Z]{5}$/.test(code));
  if (typeof state !== "string") return "";
  const described = describeSqlState(state);
  return described === state ? "" : ` (${described.slice(state.length + 2)})`;
}

function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let cause = error; cause instanceof Error && !found.includes(cause); cause = cause.cause) found.push(cause);
  return found;
}
