// Every await of emit, settle, consume and sweep, each with every fault, listed by a run without faults; and, of what a fault
// brings in (second tries, alerts, marks, takeovers), each with every fault once more. Whatever happens, nothing is lost, no
// finished command runs again, and what has to be said is said.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { transaction } from "@riverqueue/driver-sqlite";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import type { CommandExecution, EmitResult, StoredEvent } from "@riverqueue/reaction";
import {
  type Fault,
  type FaultKind,
  FaultWorld,
  type FaultyProcess,
  OrderShipped,
  type WorldOptions,
} from "./testdata/fault-world.ts";
import { type OpenHome, openSqliteHome } from "./testdata/open-home.ts";

failOnLeaks();

const KINDS: readonly FaultKind[] = ["error", "lost", "outage", "crash", "crash after"];
const KEY = "order-shipped:1";
const ENDED: readonly string[] = ["succeeded", "failed", "skipped", "needs_review"];

interface Course extends WorldOptions {
  /** Another process has emitted the event before and died in the handler of this command. */
  readonly diedIn?: string;
  /** The event is emitted in a transaction and settled after the commit. */
  readonly joins?: boolean;
}

interface Outcome {
  /** Null when there was none: the process ended, or the transaction was rolled back. */
  readonly result: EmitResult | null;
  readonly crashed: boolean;
  readonly rolledBack: boolean;
  /** Steps of the first process. */
  readonly own: number;
  /** Steps of all processes, in order. */
  readonly names: readonly string[];
  readonly codes: readonly string[];
  readonly world: FaultWorld;
  readonly stored: StoredEvent | null;
}

/** One database for all runs of a course, emptied between them. */
class Stage {
  readonly #course: Course;
  readonly #opened: OpenHome<DatabaseSync>;
  readonly #tables: readonly string[];
  #world: FaultWorld | null = null;

  private constructor(course: Course, opened: OpenHome<DatabaseSync>, tables: readonly string[]) {
    this.#course = course;
    this.#opened = opened;
    this.#tables = tables;
  }

  static async open(t: TestContext, course: Course): Promise<Stage> {
    let stage: Stage | null = null;
    const opened = await openSqliteHome(t, { now: () => stage?.now() ?? new Date() });
    // The machine stays up in these runs: only processes end.
    await opened.rows("pragma synchronous = off");
    const tables = await opened.rows(
      "select name from sqlite_master where type = 'table' and name like 'river_reaction_%'",
    );
    stage = new Stage(course, opened, [...tables.map(({ name }) => String(name)), "river_job"]);
    return stage;
  }

  now(): Date {
    return this.#world?.now() ?? new Date();
  }

  /** Emits, delivers and sweeps with faults, then has further processes, the last one sound, bring it to an end. */
  async live(faults: readonly Fault[]): Promise<Outcome> {
    for (const table of this.#tables) await this.#opened.rows(`delete from ${table}`);
    const world = new FaultWorld(this.#opened, this.#course);
    this.#world = world;
    const { diedIn } = this.#course;
    if (diedIn !== undefined) await dieIn(world, diedIn);
    const processes = [world.process(faults)];
    const [first] = processes as [FaultyProcess];
    const connection = this.#course.joins === true ? new DatabaseSync(this.#opened.address) : null;
    let emitted: Emitted = { result: null, rolledBack: false };
    const course = async (): Promise<"ended"> => {
      emitted = await this.#emit(first, connection);
      for (let round = 0; round < 2; round++) {
        await world.deliverAll(first);
        world.advance(61_000);
        await first.reaction.processor.sweep(first.ctx);
      }
      return "ended";
    };
    const end = await Promise.race([course(), first.steps.crashed]);
    // With the process its connection ends, and a transaction that is open in it.
    connection?.close();
    const names = [...first.steps.names];
    for (let left = faults.length; left >= 0; left--) {
      const next = world.process(faults, names.length);
      processes.push(next);
      await Promise.race([this.#recover(world, next), next.steps.crashed]);
      names.push(...next.steps.names);
      if (faults.every(({ step }) => Number(step) < names.length - next.steps.names.length)) break;
    }
    const codes = processes.flatMap(({ alerts }) => alerts.map(({ code }) => code));
    const own = first.steps.names.length;
    return { ...emitted, crashed: end === "crashed", own, names, codes, world, stored: await this.#read() };
  }

  async #emit({ reaction, ctx }: FaultyProcess, connection: DatabaseSync | null): Promise<Emitted> {
    const event = OrderShipped.create({ idempotencyKey: KEY, payload: { orderId: "1" } });
    if (connection === null) return { result: await reaction.processor.emit(ctx, event), rolledBack: false };
    let settle: () => Promise<EmitResult>;
    try {
      ({ settle } = await transaction(connection, (tx) => reaction.processor.emit(ctx, event, { tx })));
    } catch {
      return { result: null, rolledBack: true };
    }
    return { result: await settle(), rolledBack: false };
  }

  async #recover(world: FaultWorld, { reaction, ctx }: FaultyProcess): Promise<void> {
    for (let round = 0; round < 12; round++) {
      world.advance(3_700_000);
      await reaction.processor.sweep(ctx);
      if (round > 0 && (await this.#isEnded())) break;
      for (let deliveries = 0; deliveries < 6 && (await world.deliverAll({ reaction, ctx })) > 0; deliveries++)
        world.advance(130_000);
    }
  }

  async #isEnded(): Promise<boolean> {
    const stored = await this.#read();
    return stored === null || stored.commands.every(({ status }) => ENDED.includes(status));
  }

  async #read(): Promise<StoredEvent | null> {
    const { store } = this.#opened.home;
    const { items } = await store.listEvents({ idempotencyKey: KEY });
    assert.ok(items.length <= 1, "one record at most");
    return items[0] === undefined ? null : store.readEvent(items[0].id);
  }
}

type Emitted = Pick<Outcome, "result" | "rolledBack">;

/** Leaves the event as a process does that ends in the middle of a handler, after its effect. */
async function dieIn(world: FaultWorld, handler: string): Promise<void> {
  const dead = world.process([{ step: `handler.${handler}`, kind: "crash after" }]);
  const event = OrderShipped.create({ idempotencyKey: KEY, payload: { orderId: "1" } });
  const course = dead.reaction.processor.emit(dead.ctx, event).then(() => world.deliverAll(dead));
  await Promise.race([course, dead.steps.crashed]);
  assert.equal(dead.steps.names.at(-1), `handler.${handler}`);
  world.advance(61_000);
}

/** What went wrong in a run. */
interface Trouble {
  readonly course: Course;
  readonly faults: readonly { readonly name: string; readonly kind: FaultKind }[];
  readonly codes: readonly string[];
}

function check(
  course: Course,
  { result, crashed, rolledBack, names, codes, world, stored }: Outcome,
  faults: readonly Fault[],
): void {
  const trouble = {
    course,
    codes,
    faults: faults.map(({ step, kind }) => ({ kind, name: names[Number(step)] ?? "" })),
  };
  if (!crashed && !rolledBack) assert.ok(result !== null, "emit answers");
  // Nothing is lost.
  if (stored === null) {
    assert.ok(crashed || rolledBack || result?.status === "abandoned", "without a record nothing was promised");
    assert.equal(world.runs.size, 0);
    if (!crashed && !rolledBack) assert.deepEqual([result?.event, codes.includes("event_abandoned")], [null, true]);
    return;
  }
  assert.ok(!rolledBack, "what was rolled back has left no record");
  if (result?.status === "abandoned") assert.ok(codes.includes("event_abandoned"));
  assert.ok(!codes.includes("lease_lost"), "what a process has written itself it does not take for another's");
  for (const command of stored.commands) {
    const { id, status, name } = command;
    if (status === "succeeded") assert.equal(world.effects.get(id), name, `${name} has had its effect`);
    else mayEndOtherwise(command, trouble);
  }
  for (const [id, runs] of world.runs) {
    const command = stored.commands.find((each) => each.id === id);
    if (command === undefined) return assert.fail("no effect without a record");
    mayHaveRun(command, runs, trouble);
  }
}

/** Only where it is said that somebody has to look, or the caller was told. */
function mayEndOtherwise({ status, name, mode, attempts, maxAttempts }: CommandExecution, trouble: Trouble): void {
  const { course, faults, codes } = trouble;
  // An alert follows the write of what it is about: between the two the process may end.
  const diedWriting = faults.some((fault) => fault.name === "store.settleCommand" && fault.kind === "crash after");
  if (status === "needs_review") {
    const unsettled = faults.some((fault) => fault.name === "store.settleCommand" && fault.kind === "outage");
    assert.ok(course.reviews === true || unsettled, `nothing asks for a review of ${name}`);
    return assert.ok(
      codes.includes("needs_review") || (diedWriting && codes.includes("result_unwritten")),
      "somebody is told",
    );
  }
  if (status === "skipped" && course.refuses === true) return;
  if (status === "failed") {
    const refused = course.refuses === true && name === "grant";
    assert.ok(refused || attempts.length >= maxAttempts, `${name} has had its attempts`);
    const told = mode === "sync" && !faults.some(dies) && course.diedIn === undefined;
    return assert.ok(
      told || diedWriting || codes.includes("command_failed") || refused,
      `the failure of ${name} is told`,
    );
  }
  assert.fail(`a command was left ${status}`);
}

/** Nothing is repeated that must not be: a second run needs a process that died, or an attempt that failed, during the first. */
function mayHaveRun({ name, attempts }: CommandExecution, runs: number, { course, faults }: Trouble): void {
  const outcomes = attempts.map(({ outcome }) => outcome);
  assert.ok(runs <= outcomes.length, `${name} ran ${runs} times in ${outcomes.length} attempts`);
  assert.ok(!outcomes.slice(0, -1).includes("succeeded"), `${name} ran after it had succeeded`);
  const interrupted = faults.some(
    (fault) =>
      dies(fault) ||
      fault.name.startsWith("handler.") ||
      (fault.name === "store.settleCommand" && fault.kind === "outage"),
  );
  if (!interrupted && course.diedIn !== name) assert.ok(runs <= 1, `${name} ran ${runs} times for no reason`);
}

function dies({ kind }: { readonly kind: FaultKind }): boolean {
  return kind === "crash" || kind === "crash after";
}

/** Numbers of the steps that a fault at step `at` has brought in: those from which on the run is not the plain one. */
function broughtIn(plain: readonly string[], faulted: readonly string[], at: number): number[] {
  let same = 0;
  const most = Math.min(plain.length, faulted.length) - at - 1;
  while (same < most && plain.at(-1 - same) === faulted.at(-1 - same)) same++;
  return Array.from({ length: Math.max(0, faulted.length - same - at - 1) }, (_, index) => at + 1 + index);
}

const COURSES: readonly (Course & { readonly title: string; readonly needed: readonly string[] })[] = [
  {
    title: "with a store that sends in its transactions",
    sendsInTransaction: true,
    needed: ["store.createEvent", "store.leaseCommand", "store.settleCommand", "store.openEvent", "store.claimSweeps"],
  },
  {
    title: "with a store that cannot send",
    sendsInTransaction: false,
    needed: ["queue.send", "store.markDispatched", "analyticsStore.deleteSalts"],
  },
  {
    title: "after a process that died in a sync handler",
    sendsInTransaction: true,
    diedIn: "grant",
    needed: ["queue.send", "keyValue.get"],
  },
  {
    title: "after a process that died in an async handler",
    sendsInTransaction: false,
    diedIn: "send",
    needed: ["keyValue.get", "store.leaseCommand"],
  },
  {
    title: "after a process that died in a handler that must not be repeated",
    sendsInTransaction: true,
    diedIn: "send",
    reviews: true,
    needed: ["store.decideCommand", "store.recordAlert"],
  },
  {
    title: "with a command that fails for good and one that comes after it",
    sendsInTransaction: false,
    refuses: true,
    needed: ["store.decideCommand"],
  },
  {
    title: "with a handler that outlasts its lease",
    sendsInTransaction: true,
    renews: true,
    needed: ["store.renewLease"],
  },
  {
    title: "emitted in a transaction and settled after it",
    sendsInTransaction: true,
    joins: true,
    needed: ["store.createEvent", "store.readEvent", "store.settleCommand"],
  },
];

/** Steps that no run without a fault takes. */
const ONLY_AFTER_FAULTS = ["keyValue.put", "store.recordAlert", "store.postponeSweep", "store.decideCommand"];
/** Second steps that were made to fail, by the step before them and alone. */
const tried = new Set<string>();
const triedNames = new Set<string>();

for (const { title, needed, ...course } of COURSES) {
  test(`C30 nothing is lost or repeated, whatever fails at any step, ${title}`, async (t) => {
    const stage = await Stage.open(t, course);
    const plain = await stage.live([]);
    check(course, plain, []);
    for (const name of needed) assert.ok(plain.names.includes(name), `${name} is a step`);
    t.diagnostic(`${plain.names.length} steps: ${plain.names.join(", ")}`);
    const firsts = new Set<string>();
    for (const [step, name] of plain.names.slice(0, plain.own).entries()) {
      // A second sweep that finds nothing takes the steps of the first.
      const first = `${plain.names[step - 1]}, ${name}`;
      if (firsts.has(first)) continue;
      firsts.add(first);
      for (const kind of KINDS) {
        await t.test(`step ${step} ${name}: ${kind}`, async () => {
          const fault = { step, kind };
          const alone = await stage.live([fault]);
          check(course, alone, [fault]);
          for (const second of broughtIn(plain.names, alone.names, step)) {
            const [before = "", then = ""] = alone.names.slice(second - 1, second + 1);
            // Once for each that follows another, not once for each way to get there.
            if (tried.has(`${before}, ${then}`)) continue;
            tried.add(`${before}, ${then}`);
            triedNames.add(then);
            for (const again of KINDS) {
              const faults = [fault, { step: second, kind: again }];
              const both = await stage.live(faults);
              assert.doesNotThrow(
                () => check(course, both, faults),
                `and step ${second} ${then}: ${again}; ${both.names.join(", ")}; alerts ${both.codes.join(", ")}`,
              );
            }
          }
        });
      }
    }
  });
}

test("the steps that only faults bring in have been made to fail as well", (t) => {
  t.diagnostic(`${tried.size} second steps`);
  assert.deepEqual(
    ONLY_AFTER_FAULTS.filter((name) => !triedNames.has(name)),
    [],
  );
});
