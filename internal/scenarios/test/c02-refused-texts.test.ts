/** Texts that a database cannot store, in the transaction of an application that goes on. */
import assert from "node:assert/strict";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { complete, type InsertOptions, type JsonObject, JsonValueError } from "riverqueue";
import { onBothDatabases } from "../src/database.ts";
import { openScene, task } from "../src/scene.ts";

failOnLeaks();

/** Where the text is: what is inserted, and the path that the error must name. */
interface RefusedInsert {
  readonly place: string;
  readonly args?: JsonObject;
  readonly options?: InsertOptions;
  readonly path: string;
}

function refusedInserts(text: string): readonly RefusedInsert[] {
  const key = `$[${JSON.stringify(text)}]`;
  return [
    { place: "arguments", args: { s: text }, path: "$.s" },
    { place: "key of arguments", args: { [text]: 1 }, path: key },
    { place: "tag", options: { tags: ["fine", text] }, path: "$" },
    { place: "metadata", options: { metadata: { deep: [{ s: text }] } }, path: "$.deep[0].s" },
  ];
}

for (const [name, text] of [
  ["a NUL", "a\u0000b"],
  ["a high surrogate alone", "\ud800"],
] as const) {
  onBothDatabases(
    `C02 ${name} in a transaction is refused before any SQL, and the transaction commits`,
    async (t, database) => {
      const { client, insert, start, events, states, calls } = openScene(t, database);
      await database.query("CREATE TABLE business (place text)");
      const inserts = refusedInserts(text);
      for (const { place, args = {}, options, path } of inserts) {
        const own = await database.begin();
        await own.query("INSERT INTO business VALUES ($1)", place);
        await assert.rejects(
          client.insert(task, args, { ...options, tx: own.tx }),
          (error) => error instanceof JsonValueError && error.path === path && error.code === "validation",
          place,
        );
        await own.query("INSERT INTO business VALUES ($1)", place);
        await own.commit();
      }
      const business = await database.query("SELECT place FROM business");
      assert.deepEqual(
        business.map((row) => row["place"]),
        inserts.flatMap(({ place }) => [place, place]),
      );
      // The first row there ever was: an insertion that had reached the database would have used up an ID.
      assert.deepEqual(await insert(), [1n]);
      await start();
      await events.when("job_completed");
      assert.deepEqual(
        [await states(), calls, events.jobKinds()],
        [{ completed: 1 }, [1], { job_started: 1, job_completed: 1 }],
      );
    },
  );

  onBothDatabases(`C02 ${name} as output or metadata is refused at the call in the handler`, async (t, database) => {
    const refused: unknown[] = [];
    const attempt = (call: () => unknown): void => {
      try {
        call();
      } catch (error) {
        refused.push(error);
      }
    };
    const { insert, start, events, row, calls, complaints } = openScene(t, database, {
      handler: async ({ setMetadata, completeTx }) => {
        attempt(() => complete({ output: { s: text } }));
        attempt(() => setMetadata("key", { s: text }));
        const own = await database.begin();
        await own.query("INSERT INTO business VALUES ($1)", "handler");
        await completeTx(own.tx, { output: [text] }).catch((error: unknown) => refused.push(error));
        await own.commit();
        return complete({ output: "fine" });
      },
    });
    await database.query("CREATE TABLE business (place text)");
    const [id = 0n] = await insert();
    await start();
    await events.when("job_completed");
    assert.deepEqual(
      refused.map((error) => error instanceof JsonValueError && error.path),
      ["$.s", "$.s", "$[0]"],
    );
    const { state, metadata, errors } = await row(id);
    assert.equal(JSON.stringify([state, metadata, errors]), '["completed",{"output":"fine"},[]]');
    assert.equal((await database.query("SELECT place FROM business")).length, 1);
    assert.deepEqual([calls, events.jobKinds(), complaints()], [[1], { job_started: 1, job_completed: 1 }, []]);
  });
}
