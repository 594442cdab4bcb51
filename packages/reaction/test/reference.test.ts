// The reference page of options and errors says what is accepted and thrown, and nothing else.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import * as reaction from "@riverqueue/reaction";
import { createReaction, defineCommand, defineEvent, defineQueue, ReactionError } from "@riverqueue/reaction";
import { createEmbeddedHome, RetryMessageError } from "@riverqueue/reaction/embedded";

failOnLeaks();

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/reference/reaction-options.md"), "utf8");

/** The first two cells of each row below a title, without the marks of code. */
function rows(title: string): [name: string, second: string][] {
  const [, section = ""] = PAGE.split(`\n## ${title}\n`);
  const [own = ""] = section.split("\n## ");
  return own
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [, name = "", second = ""] = line.replaceAll("`", "").split("|");
      return [name.trim(), second.trim()];
    });
}

/** By section: gives options to what takes them. */
const TAKERS: Readonly<Record<string, (options: object) => unknown>> = {
  "Event type": (options) => defineEvent(options as never),
  Command: (options) => defineCommand(options as never),
  Reaction: (options) => createReaction(options as never),
  Emission: (emission) => createReaction({ emission } as never),
  Retry: (retry) => createReaction({ retry } as never),
  Retention: (retention) => createReaction({ retention } as never),
  Queue: (options) => defineQueue(options as never),
  "Embedded home": (options) => createEmbeddedHome(options as never),
};

test("the options on the page are those that are accepted, both ways", () => {
  const sections = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  assert.deepEqual(sections, [...Object.keys(TAKERS), "Errors"]);
  for (const [section, take] of Object.entries(TAKERS)) {
    let message = "";
    try {
      take({ "§": 1 });
    } catch (error) {
      ({ message } = error as Error);
    }
    const known = /§ is not an option; known are ([^;]+)/.exec(message)?.[1]?.split(", ");
    assert.deepEqual(
      rows(section)
        .map(([name]) => name)
        .toSorted(),
      known?.toSorted(),
      section,
    );
  }
});

test("the errors on the page are those that are published, with their codes", () => {
  const classes = Object.values<unknown>({ ...reaction, RetryMessageError }).filter(
    (value): value is new (message: string) => ReactionError =>
      typeof value === "function" && value.prototype instanceof ReactionError,
  );
  const published = classes.map((each) => [each.prototype.name, new each("m").code]);
  assert.deepEqual(new Map(rows("Errors")), new Map(published as [string, string][]));
});
