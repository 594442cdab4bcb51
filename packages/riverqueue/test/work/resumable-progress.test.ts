import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../src/json/json-value.ts";
import { JsonValueError } from "../../src/model/errors/json-value-error.ts";
import { ValidationError } from "../../src/model/errors/validation-error.ts";
import type { JobRow } from "../../src/model/job-row.ts";
import { complete, snooze } from "../../src/work/outcome.ts";
import { ResumableProgress } from "../../src/work/resumable-progress.ts";
import { StagedMetadata } from "../../src/work/staged-metadata.ts";

/** Progress over `stored` metadata, with what it did. */
class Trial {
  readonly ran: unknown[] = [];
  readonly written: unknown[] = [];
  readonly progress: ResumableProgress<object>;
  failWrites = false;

  constructor(stored: JsonObject = {}) {
    this.progress = new ResumableProgress<object>(stored, {
      assertRunning: () => {},
      writeMetadata: async (tx, metadata) => {
        if (this.failWrites) throw new Error("no write");
        this.written.push([tx, JSON.parse(metadata)]);
        return { id: 1n } as JobRow;
      },
    });
  }

  step(name: string, body: () => unknown = () => {}): Promise<void> {
    return this.progress.step(name, async () => {
      this.ran.push(name);
      await body();
    });
  }

  stepWithCursor(name: string, body: (cursor: unknown) => unknown = () => {}): Promise<void> {
    return this.progress.stepWithCursor(name, async (cursor) => {
      this.ran.push([name, cursor]);
      await body(cursor);
    });
  }

  /** What the end of an attempt that did not complete stores. */
  staged(): unknown {
    const metadata = new StagedMetadata();
    this.progress.stage(metadata);
    return JSON.parse(metadata.text() ?? "null");
  }
}

const STEP = "river:resumable_step";
const CURSOR = "river:resumable_cursor";
const tx = { open: true };
const boom = (): never => {
  throw new Error("boom");
};

test("steps up to the stored one are skipped, and the last finished one is stored after a failure", async () => {
  const trial = new Trial({ [STEP]: "b" });
  await trial.step("a");
  await trial.step("b");
  await trial.step("c");
  await assert.rejects(trial.step("d", boom), /boom/);
  await trial.step("e");
  assert.deepStrictEqual(trial.ran, ["c", "d"]);
  assert.deepStrictEqual(trial.staged(), { [STEP]: "c" });
});

test("a step's error decides the attempt, even when the handler caught it", async () => {
  const trial = new Trial();
  const error = new Error("first");
  await trial.step("a", () => Promise.reject(error)).catch(() => {});
  assert.throws(
    () => trial.progress.resultOf(undefined),
    (thrown) => thrown === error,
  );
  const outcome = snooze({ seconds: 1 });
  assert.equal(trial.progress.resultOf(outcome), outcome);
});

test("a step name may be used once, also while it is skipped", async () => {
  const message = 'river: duplicate resumable step name "a"';
  const trial = new Trial({ [STEP]: "z" });
  await trial.step("a");
  await assert.rejects(trial.stepWithCursor("a"), { code: "lifecycle", message });
  assert.deepStrictEqual(trial.ran, []);
  assert.throws(() => trial.progress.resultOf(undefined), { message });
});

test("a step inside another is refused before it runs, and the outer one does not count as finished", async () => {
  const trial = new Trial();
  await trial.step("first");
  await trial.step("outer", () => trial.step("inner").catch(() => {}));
  assert.deepStrictEqual(trial.ran, ["first", "outer"]);
  assert.throws(() => trial.progress.resultOf(undefined), {
    code: "lifecycle",
    message: 'river: resumable step "inner" called while step "outer" runs; steps cannot be nested',
  });
  assert.deepStrictEqual(trial.staged(), { [STEP]: "first" });
});

test("a step that an earlier attempt finished must still exist", () => {
  const trial = new Trial({ [STEP]: "gone" });
  assert.throws(() => trial.progress.resultOf(complete()), {
    code: "lifecycle",
    message: 'river: resumable step "gone" not found in Worker',
  });
  assert.equal(trial.staged(), null);
});

test("a retry that omits a step of which only a cursor is stored fails and keeps the checkpoint", async () => {
  const trial = new Trial({ [CURSOR]: { gone: 3 } });
  await trial.step("other");
  assert.throws(() => trial.progress.resultOf(undefined), {
    code: "lifecycle",
    message: 'river: resumable step "gone" not found in Worker',
  });
  assert.equal(trial.staged(), null);
});

test("F-07: a cursor set by the very first step is stored when that fails", async () => {
  const trial = new Trial();
  await assert.rejects(
    trial.stepWithCursor("a", () => {
      trial.progress.setCursor({ at: 5 });
      boom();
    }),
  );
  assert.deepStrictEqual(trial.staged(), { [CURSOR]: { a: { at: 5 } } });
  const retry = new Trial({ [CURSOR]: { a: { at: 5 } } });
  await retry.stepWithCursor("a");
  assert.deepStrictEqual(retry.ran, [["a", { at: 5 }]]);
  assert.equal(retry.progress.resultOf(undefined), undefined);
});

test("a stored step with a cursor is run again from it, without one it is skipped", async () => {
  const again = new Trial({ [STEP]: "a", [CURSOR]: { a: 2 } });
  await again.stepWithCursor("a");
  assert.deepStrictEqual(again.ran, [["a", 2]]);
  const skipped = new Trial({ [STEP]: "a", [CURSOR]: { a: null } });
  await skipped.stepWithCursor("a");
  assert.deepStrictEqual(skipped.ran, []);
});

test("cursors that were used up are cleared: others stay, and null clears the last", async () => {
  const trial = new Trial({ [CURSOR]: { a: 1, b: 2 } });
  await trial.stepWithCursor("a");
  assert.deepStrictEqual(trial.staged(), { [STEP]: "a", [CURSOR]: { b: 2 } });
  await trial.stepWithCursor("b", (cursor) => assert.equal(cursor, 2));
  assert.deepStrictEqual(trial.staged(), { [STEP]: "b", [CURSOR]: null });
});

test("stored values of other types are ignored, but an array of cursors is an error", () => {
  for (const cursors of [null, 5, "x", true]) {
    assert.equal(new Trial({ [STEP]: 5, [CURSOR]: cursors }).progress.resultOf(undefined), undefined);
  }
  assert.throws(() => new Trial({ [CURSOR]: [] }), {
    code: "validation",
    message: /stored resumable cursors are an array/,
  });
});

test("cursors and checkpoints belong to a running step", async () => {
  const trial = new Trial();
  assert.throws(() => trial.progress.setCursor(1), {
    code: "lifecycle",
    message: "river: resumable cursor can only be used within ResumableStepCursor",
  });
  await assert.rejects(trial.progress.checkpoint({ tx }), {
    code: "lifecycle",
    message: "river: resumable checkpoint can only be used within a step",
  });
  await trial.stepWithCursor("a", () =>
    assert.throws(() => trial.progress.setCursor(new Map() as never), JsonValueError),
  );
  await assert.rejects(trial.step(""), ValidationError);
  await assert.rejects(trial.step("a\0"), ValidationError);
  await assert.rejects(trial.progress.step("b", 5 as never), ValidationError);
  await trial.step("c", async () => {
    await assert.rejects(trial.progress.checkpoint({ tx: 5 as never }), {
      name: "ValidationError",
      message: "tx of checkpoint must be an open transaction, not a number",
    });
    await assert.rejects(trial.progress.checkpoint({ tx, curser: 1 } as never), /did you mean cursor/);
  });
});

test("a checkpoint writes the running step and all cursors, and its transaction owns that progress", async () => {
  const trial = new Trial();
  await trial.step("a");
  await assert.rejects(
    trial.stepWithCursor("b", async () => {
      trial.progress.setCursor(1);
      assert.equal((await trial.progress.checkpoint({ tx, cursor: 2 })).id, 1n);
      boom();
    }),
  );
  assert.deepStrictEqual(trial.written, [[tx, { [STEP]: "b", [CURSOR]: { b: 2 } }]]);
  assert.equal(trial.staged(), null);
});

test("progress after a checkpoint is stored when the attempt ends, together with the checkpoint's", async () => {
  const trial = new Trial();
  await assert.rejects(
    trial.stepWithCursor("b", async () => {
      await trial.progress.checkpoint({ tx, cursor: 2 });
      trial.progress.setCursor(3);
      boom();
    }),
  );
  assert.deepStrictEqual(trial.staged(), { [STEP]: "b", [CURSOR]: { b: 3 } });
});

test("a checkpoint that fails leaves the progress to the end of the attempt", async () => {
  const trial = new Trial();
  trial.failWrites = true;
  await trial.step("a");
  await assert.rejects(
    trial.step("b", async () => {
      await trial.progress.checkpoint({ tx, cursor: 9 });
    }),
    /no write/,
  );
  assert.deepStrictEqual(trial.staged(), { [STEP]: "a" });
});
