/** The board on which tasks are posted: order, texts, and who has a task when several want it. */
import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { array, assert as check, constantFrom, integer, property, string } from "fast-check";
import { failOnLeaks, pollUntil } from "@riverqueue/internal-test-kit";
import { nextTicket, TaskBoard } from "../src/protocol/task-board.ts";

failOnLeaks();

const LAST_TICKET = 0x7fff_ffff;

test("WT-47 tasks are taken in the order in which they were posted, each once, also when tickets start again", () => {
  const steps = array(constantFrom("post", "take", "take back", "clear"), { maxLength: 200 });
  check(
    property(steps, integer({ min: 1, max: 6 }), integer({ min: -50, max: 0 }), (all, places, before) => {
      const board = TaskBoard.withPlaces(places);
      let ticket = LAST_TICKET + before;
      const waiting: { place: number; ticket: number }[] = [];
      const taken: number[] = [];
      const free = Array.from({ length: places }, (_, place) => place);
      for (const step of all) {
        const place = step === "post" ? free.shift() : undefined;
        if (place !== undefined) {
          ticket = nextTicket(ticket);
          waiting.push({ place, ticket });
          assert.ok(board.post({ place, ticket }, `${ticket}`));
          assert.equal(board.takerAt(place), 0);
        } else if (step === "take") {
          const oldest = board.oldest();
          const expected = waiting.shift();
          assert.deepEqual(oldest, expected ?? null);
          if (oldest === null) continue;
          assert.ok(board.take(oldest, 3));
          assert.equal(board.textAt(oldest.place), `${oldest.ticket}`);
          assert.equal(board.takerAt(oldest.place), 3);
          assert.ok(!board.take(oldest, 4) && !board.takeBack(oldest));
          taken.push(oldest.place);
        } else if (step === "take back" && waiting.length > 0) {
          const [task] = waiting.splice(ticket % waiting.length, 1);
          assert.ok(task !== undefined && board.takeBack(task));
          assert.ok(!board.take(task, 3) && !board.takeBack(task));
          free.push(task.place);
        } else if (step === "clear" && taken.length > 0) {
          const cleared = taken.shift() as number;
          board.clear(cleared);
          free.push(cleared);
        }
        assert.equal(board.hasTask, waiting.length > 0);
      }
    }),
  );
});

function textAt(board: TaskBoard, place: number): string | null {
  return board.hasTextAt(place) ? board.textAt(place) : null;
}

test("a text arrives as it was posted, or not at all when it is too long", () => {
  const board = TaskBoard.withPlaces(2);
  check(
    property(string({ unit: "binary", maxLength: 3_000 }), string({ unit: "grapheme", maxLength: 3_000 }), (a, b) => {
      for (const [place, text] of [a, b].entries()) {
        const fits = Buffer.byteLength(text) <= 4_096;
        assert.equal(board.post({ place, ticket: place + 1 }, text), fits);
        assert.equal(textAt(board, place), fits ? text : null);
      }
    }),
  );
  for (const [text, fits] of [
    ["x".repeat(4_096), true],
    ["x".repeat(4_097), false],
    ["ü".repeat(2_048), true],
    ["ü".repeat(2_049), false],
    ["", true],
  ] as const) {
    assert.equal(board.post({ place: 1, ticket: 1 }, text), fits);
    assert.equal(textAt(board, 1), fits ? text : null);
  }
  assert.equal(board.post({ place: 0, ticket: 1 }, null), false);
  assert.equal(textAt(board, 0), null);
});

const TAKER = `
  import { parentPort, workerData } from "node:worker_threads";
  const { TaskBoard } = await import(workerData.module);
  const board = new TaskBoard(workerData.memory);
  const taken = [];
  for (let isOver = false; !isOver; ) {
    board.watch(workerData.thread, 1);
    for (let oldest = board.oldest(); oldest !== null; oldest = board.oldest()) {
      if (!board.take(oldest, workerData.thread)) continue;
      const text = board.textAt(oldest.place);
      if (text === "end") isOver = true;
      else taken.push([oldest.ticket, text]);
      board.clear(oldest.place);
      if (isOver) break;
    }
  }
  parentPort.postMessage(taken);`;

test("several threads and the client share tasks without losing one, having one twice, or its text wrong", async (t) => {
  const [threads, tasks, places] = [3, 20_000, 8];
  const board = TaskBoard.withPlaces(places);
  const module = new URL("../src/protocol/task-board.ts", import.meta.url).href;
  const script = new URL(`data:text/javascript,${encodeURIComponent(TAKER)}`);
  const workers = Array.from(
    { length: threads },
    (_, n) => new Worker(script, { workerData: { memory: board.memory, module, thread: n + 1 } }),
  );
  t.after(() => Promise.all(workers.map((worker) => worker.terminate())));
  const ends = workers.map(
    (worker) =>
      new Promise<[number, string][]>((resolve, reject) => worker.once("message", resolve).once("error", reject)),
  );
  // Who clears a place here is the thread, so the client has to look for itself.
  const states = new Int32Array(board.memory, Int32Array.BYTES_PER_ELEMENT, places);
  const posted = Array.from({ length: places }, () => 0);
  const back = new Set<number>();
  let ticket = 0;
  let ended = 0;
  while (ended < threads) {
    for (const [place, had] of posted.entries()) {
      const isFree = Atomics.load(states, place) === 0;
      // Every now and then the client takes one back, if it can.
      if (!isFree && had % 5 === 0 && ticket < tasks && board.takeBack({ place, ticket: had })) back.add(had);
      else if (!isFree) continue;
      ticket = nextTicket(ticket);
      posted[place] = ticket;
      board.post({ place, ticket }, ticket <= tasks ? `task ${ticket}` : "end");
      if (ticket > tasks) ended++;
      if (ended === threads) break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const all = (await Promise.all(ends)).flat();
  for (const [number, text] of all) assert.equal(text, `task ${number}`);
  const numbers = [...all.map(([number]) => number), ...back].toSorted((a, b) => a - b);
  assert.deepEqual(
    numbers,
    Array.from({ length: tasks }, (_, n) => n + 1),
  );
});

test("a board is watched until its watcher has found something, or is gone and forgotten", async (t) => {
  const board = TaskBoard.withPlaces(1);
  board.watch(5, 0.01);
  assert.equal(board.isWatched, false);
  const script = new URL(`data:text/javascript,${encodeURIComponent(TAKER.replace("thread, 1)", "thread, 60_000)"))}`);
  const module = new URL("../src/protocol/task-board.ts", import.meta.url).href;
  const worker = new Worker(script, { workerData: { memory: board.memory, module, thread: 7 } });
  t.after(() => worker.terminate());
  await pollUntil(() => board.isWatched);
  board.watch(5, 60_000);
  board.post({ place: 0, ticket: 1 }, "task");
  await pollUntil(() => Atomics.load(new Int32Array(board.memory, Int32Array.BYTES_PER_ELEMENT, 1), 0) === 0);
  await pollUntil(() => board.isWatched);
  await worker.terminate();
  board.forgetWatcher(5);
  assert.equal(board.isWatched, true);
  board.forgetWatcher(7);
  assert.equal(board.isWatched, false);
});
