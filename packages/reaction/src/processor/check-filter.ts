/** Checks what operators ask for, before a store is asked. */
import { OptionProblems } from "../kit/option-problems.ts";
import type { CommandMode, CommandStatus } from "../model/command-execution.ts";
import type { AlertSeverity } from "../model/alert.ts";
import type { EventStatus } from "../model/event-execution.ts";
import type { AlertFilter, CommandFilter, EventFilter } from "../seam/reaction-store.ts";

/** What a member of a filter may be; a list names all that it may. */
type Check = "date" | "limit" | "text" | readonly string[];
type Checks<Filter> = Readonly<Record<keyof Filter, Check>>;

const EVENT_STATUSES: Readonly<Record<EventStatus, true>> = {
  pending: true,
  undispatched: true,
  dispatched: true,
  completed: true,
  failed: true,
};
const COMMAND_STATUSES: Readonly<Record<CommandStatus, true>> = {
  pending: true,
  running: true,
  retryable: true,
  succeeded: true,
  failed: true,
  skipped: true,
  needs_review: true,
};
const MODES: Readonly<Record<CommandMode, true>> = { sync: true, async: true };
const SEVERITIES: Readonly<Record<AlertSeverity, true>> = { high: true, warning: true };
const PAGE = { from: "date", to: "date", limit: "limit", cursor: "text" } as const;

const EVENT: Checks<EventFilter> = {
  type: "text",
  status: Object.keys(EVENT_STATUSES),
  idempotencyKey: "text",
  ...PAGE,
};
const COMMAND: Checks<CommandFilter> = {
  name: "text",
  status: Object.keys(COMMAND_STATUSES),
  mode: Object.keys(MODES),
  eventId: "text",
  eventType: "text",
  idempotencyKey: "text",
  ...PAGE,
};
const ALERT: Checks<AlertFilter> = { eventId: "text", severity: Object.keys(SEVERITIES), ...PAGE };

/** @throws ValidationError naming everything that is wrong with it. */
export function checkEventFilter(filter: EventFilter): EventFilter {
  return checked(filter, EVENT);
}

/** @throws ValidationError naming everything that is wrong with it. */
export function checkCommandFilter(filter: CommandFilter): CommandFilter {
  return checked(filter, COMMAND);
}

/** @throws ValidationError naming everything that is wrong with it. */
export function checkAlertFilter(filter: AlertFilter): AlertFilter {
  return checked(filter, ALERT);
}

function checked<Filter extends object>(filter: Filter, checks: Checks<Filter>): Filter {
  const problems = new OptionProblems();
  const given = problems.object(filter, "filter", Object.keys(checks));
  for (const [name, check] of Object.entries<Check>(checks)) {
    if (given[name] !== undefined) checkMember(given[name], `filter.${name}`, check, problems);
  }
  problems.throwValidation();
  return filter;
}

function checkMember(value: unknown, path: string, check: Check, problems: OptionProblems): void {
  if (check === "text") problems.text(value, path);
  else if (check === "date") problems.date(value, path);
  else if (check === "limit") problems.integer(value, path, 0, { min: 1, max: 500 });
  else problems.oneOf(value, path, check);
}
