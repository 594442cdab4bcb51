// Every await of emit, settle, consume and sweep, each with every fault, listed by a run without faults; and, of what a fault
// brings in (second tries, alerts, marks, takeovers), each with every fault once more. Whatever happens, nothing is lost, no
// finished command runs again, what has to be said is said, and everything comes to an end. On Postgres each fault alone.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import type { PgTransaction } from "@riverqueue/driver-pg";
import { transaction } from "@riverqueue/driver-sqlite";
import { failOnLeaks, testScale } from "@riverqueue/internal-test-kit";
import { postgresTest } from "@riverqueue/internal-test-kit/postgres-database";
import type { CommandExecution, EmitResult, StoredEvent } from "@riverqueue/reaction";
import {
  type Fault,
  type FaultKind,
  FaultWorld,
  type FaultyProcess,
  OrderShipped,
  type WorldOptions,
} from "./testdata/fault-world.ts";
import { type OpenHome, openPostgresHome, openSqliteHome } from "./testdata/open-home.ts";

failOnLeaks();

const KINDS: readonly FaultKind[] = ["error", "lost", "outage", "hang", "hang after", "crash", "crash after"];
const KEY = "order-shipped:1";
const ENDED: readonly string[] = ["succeeded", "failed", "skipped", "needs_review"];

interface Course extends WorldOptions {
  /** Another process has emitted the event before and died in the handler of this command. */
  readonly diedIn?: string;
  /** The event is emitted in a transaction and settled after the commit. */
  readonly joins?: boolean;
}

interface Outcome<Tx> {
  /** Null when there was none: the process ended, or the transaction was rolled back. */
  readonly result: EmitResult | null;
  readonly crashed: boolean;
  readonly rolledBack: boolean;
  /** Steps of the first process. */
  readonly own: number;
  /** Steps of all processes, in order. */
  readonly names: readonly string[];
  /** Of alerts that their handlers were told. */
  readonly told: readonly string[];
  /** Of alerts that were logged. */
  readonly logged: readonly string[];
  readonly world: FaultWorld<Tx>;
  /** The record when emit had answered; undefined where it has not. */
  readonly answered: StoredEvent | null | undefined;
  /** Names the first process in its leases. */
  readonly emitter: string | null;
  readonly stored: StoredEvent | null;
}

/** One database for all runs of a course, emptied between them. */
class Stage<Tx> {
  readonly #course: Course;
  readonly #opened: OpenHome<Tx>;
  readonly #clear: readonly string[];
  #world: FaultWorld<Tx> | null = null;

  private constructor(course: Course, opened: OpenHome<Tx>, clear: readonly string[]) {
    this.#course = course;
    this.#opened = opened;
    this.#clear = clear;
  }

  static async onSqlite(t: TestContext, course: Course): Promise<Stage<DatabaseSync>> {
    let stage: Stage<DatabaseSync> | null = null;
    const opened = await openSqliteHome(t, { now: () => stage?.now() ?? new Date() });
    // The machine stays up in these runs: only processes end.
    await opened.rows("pragma synchronous = off");
    stage = new Stage(
      course,
      opened,
      TABLES.map((table) => `delete from ${table}`),
    );
    return stage;
  }

  static async onPostgres(t: TestContext, course: Course): Promise<Stage<PgTransaction>> {
    let stage: Stage<PgTransaction> | null = null;
    const opened = await openPostgresHome(t, { now: () => stage?.now() ?? new Date() });
    const deletes = TABLES.map((table, index) => `d${index} as (delete from ${table})`);
    stage = new Stage(course, opened, [`with ${deletes.join(", ")} select 1`]);
    return stage;
  }

  now(): Date {
    return this.#world?.now() ?? new Date();
  }

  /** Emits, delivers and sweeps with faults, then has further processes, the last one sound, bring it to an end. */
  async live(faults: readonly Fault[]): Promise<Outcome<Tx>> {
    for (const statement of this.#clear) await this.#opened.rows(statement);
    const world = new FaultWorld<Tx>(this.#opened, this.#course);
    this.#world = world;
    const { diedIn } = this.#course;
    if (diedIn !== undefined) await dieIn(world, diedIn);
    const processes = [world.process(faults)];
    const [first] = processes as [FaultyProcess<Tx>];
    const connection = this.#course.joins === true ? new DatabaseSync(this.#opened.address) : null;
    let emitted: Emitted = { result: null, rolledBack: false };
    let answered: StoredEvent | null | undefined;
    const course = async (): Promise<"ended"> => {
      emitted = await this.#emit(first, connection);
      answered = await this.#read();
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
    const told = processes.flatMap((each) => each.told);
    const logged = processes.flatMap((each) => each.logged());
    const own = first.steps.names.length;
    const said = { told, logged, emitter: first.steps.owner };
    return { ...emitted, ...said, crashed: end === "crashed", own, names, world, answered, stored: await this.#read() };
  }

  async #emit({ reaction, ctx }: FaultyProcess<Tx>, connection: DatabaseSync | null): Promise<Emitted> {
    const event = OrderShipped.create({ idempotencyKey: KEY, payload: { orderId: "1" } });
    if (connection === null) return { result: await reaction.processor.emit(ctx, event), rolledBack: false };
    let settle: () => Promise<EmitResult>;
    try {
      ({ settle } = await transaction(connection, (tx) => reaction.processor.emit(ctx, event, { tx: tx as Tx })));
    } catch {
      return { result: null, rolledBack: true };
    }
    return { result: await settle(), rolledBack: false };
  }

  async #recover(world: FaultWorld<Tx>, { reaction, ctx }: FaultyProcess<Tx>): Promise<void> {
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

type Emitted = Pick<Outcome<unknown>, "result" | "rolledBack">;

/** What runs write. */
const TABLES = [
  ...["event", "command", "alert", "action", "key_value", "analytics_event", "analytics_salt"].map(
    (name) => `river_reaction_${name}`,
  ),
  "river_job",
];

/** Leaves the event as a process does that ends in the middle of a handler, after its effect. */
async function dieIn<Tx>(world: FaultWorld<Tx>, handler: string): Promise<void> {
  const dead = world.process([{ step: `handler.${handler}`, kind: "crash after" }]);
  const event = OrderShipped.create({ idempotencyKey: KEY, payload: { orderId: "1" } });
  const course = dead.reaction.processor.emit(dead.ctx, event).then(() => world.deliverAll(dead));
  await Promise.race([course, dead.steps.crashed]);
  assert.equal(dead.steps.names.at(-1), `handler.${handler}`);
  world.advance(61_000);
}

/** What went wrong in a run, and what came of it. */
interface Trouble {
  readonly course: Course;
  readonly faults: readonly { readonly name: string; readonly kind: FaultKind }[];
  readonly codes: readonly string[];
  readonly result: EmitResult | null;
  readonly emitter: string | null;
}

function check<Tx>(course: Course, outcome: Outcome<Tx>, given: readonly Fault[]): void {
  const { result, crashed, rolledBack, names, world, stored } = outcome;
  const faults = given.map(({ step, kind }) => ({ kind, name: names[Number(step)] ?? "" }));
  // What the handler could not be told is at least in the log.
  const codes = faults.some(({ name }) => name === "alerts") ? outcome.logged : outcome.told;
  const trouble = { course, codes, faults, result, emitter: outcome.emitter };
  if (!crashed && !rolledBack) assert.ok(result !== null, "emit answers");
  checkAnswer(outcome, trouble);
  // Nothing is lost.
  if (stored === null) {
    assert.ok(crashed || rolledBack || result?.status === "abandoned", "without a record nothing was promised");
    assert.equal(world.runs.size, 0);
    return;
  }
  assert.ok(!rolledBack, "what was rolled back has left no record");
  assert.ok(!codes.includes("lease_lost"), "what a process has written itself it does not take for another's");
  checkEvent(stored);
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

/** What emit said against what was there at that moment. */
function checkAnswer<Tx>({ answered }: Outcome<Tx>, { course, result, codes, faults }: Trouble): void {
  if (result === null || answered === undefined) return;
  // One of another process can be there unseen: it is looked for under the id of the own one.
  const isKnown = answered !== null && course.diedIn === undefined;
  if (result.event === null) assert.ok(!isKnown, "no event is answered only where there is no record");
  else assert.ok(answered !== null, "an event is answered only where there is a record");
  assert.equal(result.status === "abandoned", codes.includes("event_abandoned"), "what is abandoned is alerted");
  if (result.status !== "abandoned") return assert.ok(answered !== null, "what is not abandoned is stored");
  if (result.event === null || answered === null) return;
  // settle() that could not even read the record has nothing to note.
  const unread = course.joins === true && faults.some(({ name }) => name === "store.readEvent");
  const unnoted = faults.some(
    ({ name, kind }) => name === "store.markDispatched" && ["error", "outage", "hang"].includes(kind),
  );
  assert.equal(result.event.status, unread ? answered.event.status : "undispatched");
  assert.equal(answered.event.status, unnoted || unread ? "pending" : "undispatched", "the sweeper's, and marked so");
}

/** The event's status is what its commands have come to. */
function checkEvent({ event, commands }: StoredEvent): void {
  const has = (status: string): boolean => commands.some((command) => command.status === status);
  if (has("needs_review")) {
    assert.ok(!["completed", "failed"].includes(event.status), "an event is not over while one is in review");
    assert.equal(event.finishedAt, null);
  } else {
    assert.equal(event.status, has("failed") ? "failed" : "completed");
    assert.ok(event.finishedAt !== null);
  }
  assert.equal(event.nextSweepAt, null, "nothing is left to sweep for");
}

/** Only where it is said that somebody has to look, or the caller was told. */
function mayEndOtherwise(command: CommandExecution, trouble: Trouble): void {
  const { status, name, attempts, maxAttempts } = command;
  const { course, faults, codes } = trouble;
  // An alert follows the write of what it is about: between the two the process may end.
  const diedWriting = (...verbs: readonly string[]): boolean =>
    faults.some((fault) => fault.kind === "crash after" && verbs.includes(fault.name));
  if (status === "needs_review") {
    assert.ok(course.reviews === true || faults.some(unsettled), `nothing asks for a review of ${name}`);
    const wasSaid = diedWriting("store.settleCommand") && codes.includes("result_unwritten");
    return assert.ok(codes.includes("needs_review") || wasSaid, "somebody is told");
  }
  if (status === "skipped" && course.refuses === true) return;
  if (status === "failed") {
    const refused = course.refuses === true && name === "grant";
    assert.ok(refused || attempts.length >= maxAttempts, `${name} has had its attempts`);
    const died = diedWriting("store.settleCommand", "store.decideCommand");
    const told = callerIsTold(command, trouble) || died || codes.includes("command_failed");
    return assert.ok(told, `the failure of ${name} is told`);
  }
  assert.fail(`a command was left ${status}`);
}

/** By the answer of emit; or there is no caller left to be told, as its process ended before it answered. */
function callerIsTold({ id, mode, attempts }: CommandExecution, { result, emitter }: Trouble): boolean {
  if (mode !== "sync") return false;
  if (result === null) return attempts.at(-1)?.owner === emitter;
  return result.commands.some(({ executionId, status }) => executionId === id && status === "failed");
}

function unsettled({ name, kind }: Trouble["faults"][number]): boolean {
  return name === "store.settleCommand" && (kind === "outage" || kind === "hang");
}

/** Nothing is repeated that must not be: a second run needs a process that died, or an attempt that failed, during the first. */
function mayHaveRun({ name, attempts }: CommandExecution, runs: number, { course, faults }: Trouble): void {
  const outcomes = attempts.map(({ outcome }) => outcome);
  assert.ok(runs <= outcomes.length, `${name} ran ${runs} times in ${outcomes.length} attempts`);
  assert.ok(!outcomes.slice(0, -1).includes("succeeded"), `${name} ran after it had succeeded`);
  const interrupted = faults.some((fault) => dies(fault) || fault.name.startsWith("handler.") || unsettled(fault));
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
const ONLY_AFTER_FAULTS = [
  "alerts",
  "keyValue.put",
  "store.recordAlert",
  "store.postponeSweep",
  "store.decideCommand",
  "store.readEvent",
];
/** Second steps that were made to fail, by the step before them and alone. */
const tried = new Set<string>();
const triedNames = new Set<string>();

/** Of the first process. A second sweep that finds nothing takes the steps of the first. */
function firstSteps<Tx>({ names, own }: Outcome<Tx>): readonly (readonly [number, string])[] {
  const firsts = new Map<string, readonly [number, string]>();
  for (const [step, name] of names.slice(0, own).entries()) {
    const pair = `${names[step - 1]}, ${name}`;
    if (!firsts.has(pair)) firsts.set(pair, [step, name]);
  }
  return [...firsts.values()];
}

/** How long a statement in the caller's own transaction may take is the caller's to say, and its database's. */
function waitsForCaller({ joins }: Course, name: string, kind: FaultKind): boolean {
  return joins === true && name === "store.createEvent" && kind.startsWith("hang");
}

/** Every kind of fault, and at the scale of a plain `npm test` a third of them at each pair, all of them in turn. */
function secondKinds(pair: number): readonly FaultKind[] {
  return testScale < 20 ? KINDS : KINDS.filter((_, index) => (index + pair) % 3 === 0);
}

for (const { title, needed, ...course } of COURSES) {
  test(`C30 nothing is lost or repeated, whatever fails at any step, ${title}`, async (t) => {
    const stage = await Stage.onSqlite(t, course);
    const plain = await stage.live([]);
    check(course, plain, []);
    for (const name of needed) assert.ok(plain.names.includes(name), `${name} is a step`);
    t.diagnostic(`${plain.names.length} steps: ${plain.names.join(", ")}`);
    for (const [step, name] of firstSteps(plain)) {
      for (const kind of KINDS) {
        if (waitsForCaller(course, name, kind)) continue;
        await t.test(`step ${step} ${name}: ${kind}`, async () => {
          const fault = { step, kind };
          const alone = await stage.live([fault]);
          check(course, alone, [fault]);
          for (const second of broughtIn(plain.names, alone.names, step)) {
            const [before = "", then = ""] = alone.names.slice(second - 1, second + 1);
            // Once for each that follows another, done or not, and not once for each way to get there.
            const pair = `${before}, ${then}, after ${kind === "lost" || kind === "hang after"}`;
            if (tried.has(pair)) continue;
            tried.add(pair);
            triedNames.add(then);
            for (const again of secondKinds(tried.size)) {
              const faults = [fault, { step: second, kind: again }];
              const both = await stage.live(faults);
              assert.doesNotThrow(
                () => check(course, both, faults),
                `and step ${second} ${then}: ${again}; ${both.names.join(", ")}; alerts ${both.logged.join(", ")}`,
              );
            }
          }
        });
      }
    }
  });
}

for (const { title, needed, ...course } of COURSES.filter(({ joins }) => joins !== true)) {
  postgresTest(`C30 the same on Postgres, ${title}`, async (t) => {
    const stage = await Stage.onPostgres(t, course);
    const plain = await stage.live([]);
    check(course, plain, []);
    for (const name of needed) assert.ok(plain.names.includes(name), `${name} is a step`);
    for (const [step, name] of firstSteps(plain)) {
      for (const kind of KINDS) {
        const fault = { step, kind };
        const outcome = await stage.live([fault]);
        assert.doesNotThrow(() => check(course, outcome, [fault]), `step ${step} ${name}: ${kind}`);
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
