/** Handlers of a managed pool. */
import { complete, defineJob, type JsonValue } from "riverqueue";
import type { ManagedThreadWorkHandler } from "../../src/managed/index.ts";

const task = defineJob({ kind: "task" });

function failure(inserting: Promise<unknown>): Promise<string> {
  return inserting.then(
    () => "inserted",
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

/** Inserts when it has settled, and tells what came of it. */
export const insertLate: ManagedThreadWorkHandler = ({ client, logger }) => {
  setTimeout(() => void failure(client.insert(task, {})).then((text) => logger.info(text)), 1);
};

export const insertJobs: ManagedThreadWorkHandler = async (context) => {
  const { client } = context;
  const options = {
    scheduledAt: Temporal.Instant.from("2099-01-01T00:00:00Z"),
    tags: ["tag-x"],
    unique: { byArgs: true, byPeriod: { hours: 1 } },
  };
  const one = await client.insert(task, { n: 9 }, options);
  const again = await client.insert(task, { n: 9 }, options);
  const many = await client.insertMany([
    { job: task, args: { n: 1 } },
    { job: task, args: { n: 2 }, options: { delay: { hours: 1 }, metadata: { deep: [1] } } },
  ]);
  const wrong = await failure(client.insert(task, { n: 1 }, { priority: 9 }));
  return complete({
    output: {
      one: [one.status, one.job.kind, one.job.args, one.job.scheduledAt.toString(), one.job.tags] as JsonValue,
      again: again.status,
      many: many.map(({ status, job }) => [status, job.args["n"] ?? null]),
      none: await client.insertMany([]),
      refused: await failure(client.insert(defineJob({ kind: "other" }), {})),
      wrong: wrong.slice(0, wrong.indexOf(":")),
      tx: await failure(client.insert(task, {}, { tx: {} as never })),
      keys: Object.keys(context).toSorted(),
    },
  });
};
