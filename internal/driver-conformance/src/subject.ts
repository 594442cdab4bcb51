/** The driver under test as a test sees it: its facets, short ways to use them, and the ways around it. */
import type {
  DriverCall,
  DriverFacets,
  DriverSession,
  JobRecord,
  JobToInsert,
  LeaderTerm,
  Notice,
  NoticeTopic,
  RuntimeDriver,
  SettledJob,
  Settlement,
} from "riverqueue/driver";
import type {
  BlockedReads,
  DriverUnderTest,
  OpenTransaction,
  RawDatabase,
  UnusableHandle,
} from "./backend-under-test.ts";
import { claim, claimOne, insert, insertOne, lead, read, settle } from "./driver-verbs.ts";
import { Inbox } from "./inbox.ts";
import { only } from "./only.ts";

/** What a test calls facets on. */
export type Through = "driver" | "session";

type Facets = DriverFacets<unknown>;

/** See the file header. */
export class Subject implements Facets {
  readonly driver: RuntimeDriver<unknown>;
  readonly raw: RawDatabase;
  readonly #opened: DriverUnderTest;
  readonly #facets: Facets;
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor(opened: DriverUnderTest, facets: Facets) {
    this.driver = opened.driver;
    this.raw = opened.raw;
    this.#opened = opened;
    this.#facets = facets;
  }

  static async open(opened: DriverUnderTest, through: Through): Promise<Subject> {
    if (through === "driver") return new Subject(opened, opened.driver);
    const session = await opened.driver.openSession({ listens: true, leads: true });
    const subject = new Subject(opened, session);
    subject.#closing.push(() => session.close());
    return subject;
  }

  get jobs(): Facets["jobs"] {
    return this.#facets.jobs;
  }

  get queues(): Facets["queues"] {
    return this.#facets.queues;
  }

  get leader(): Facets["leader"] {
    return this.#facets.leader;
  }

  get notices(): Facets["notices"] {
    return this.#facets.notices;
  }

  get indexes(): Facets["indexes"] {
    return this.#facets.indexes;
  }

  get inspect(): Facets["inspect"] {
    return this.#facets.inspect;
  }

  get extension(): Facets["extension"] {
    return this.#facets.extension;
  }

  /** Gives back what the test left open, last first. */
  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
  }

  /** What the database keeps of `instant`. */
  kept(instant: Temporal.Instant): string {
    const rounding =
      this.driver.traits.timePrecision === "milliseconds"
        ? ({ smallestUnit: "millisecond", roundingMode: "halfCeil" } as const)
        : ({ smallestUnit: "microsecond", roundingMode: "floor" } as const);
    return instant.round(rounding).toString();
  }

  /** Inserts jobs and returns their records. */
  add(...jobs: readonly Partial<JobToInsert>[]): Promise<JobRecord[]> {
    return insert(this, ...jobs);
  }

  /** Inserts one job. */
  addOne(overrides?: Partial<JobToInsert>): Promise<JobRecord> {
    return insertOne(this, overrides);
  }

  /** Inserts `count` jobs and claims them, by ID. */
  async addClaimed(count: number, clientId?: string): Promise<JobRecord[]> {
    await this.add(...Array.from({ length: count }, () => ({})));
    return this.claim(count, clientId);
  }

  /** Claims what is due in the default queue, by ID. */
  claim(limit?: number, clientId?: string, call?: DriverCall<unknown>): Promise<JobRecord[]> {
    return claim(this, limit, clientId, call);
  }

  /** Claims one job of the default queue. */
  claimOne(clientId?: string): Promise<JobRecord> {
    return claimOne(this, clientId);
  }

  /** Settles one attempt. */
  settle(settlement: Settlement, wantRows?: boolean, call?: DriverCall<unknown>): Promise<SettledJob> {
    return settle(this, settlement, wantRows, call);
  }

  /** The row as it is now. */
  read(id: bigint): Promise<JobRecord> {
    return read(this, id);
  }

  /** The states of rows, in the order of `ids`; `gone` for those that are. */
  async states(...ids: readonly bigint[]): Promise<string[]> {
    const jobs = await Promise.all(ids.map((id) => this.jobs.get({ id })));
    return jobs.map((job) => job?.state ?? "gone");
  }

  /** A term that holds for a minute. */
  lead(clientId?: string): Promise<LeaderTerm> {
    return lead(this, clientId);
  }

  /** Subscribes until the end of the test. */
  async listen(...topics: readonly NoticeTopic[]): Promise<Inbox> {
    const inbox = await Inbox.open(this.notices, topics);
    this.#closing.push(() => inbox.close());
    return inbox;
  }

  /** Sends notices. */
  send(...notices: readonly Notice[]): Promise<void> {
    return this.notices.send({ notices });
  }

  /** Begins a transaction of the application's, which is rolled back unless the test ends it. */
  async begin(): Promise<OpenTransaction> {
    const transaction = await this.#opened.begin();
    let open = true;
    const end = async (how: "commit" | "rollback"): Promise<void> => {
      if (!open) return;
      open = false;
      await transaction[how]();
    };
    this.#closing.push(() => end("rollback"));
    return {
      scope: transaction.scope,
      lockRows: (table, condition) => transaction.lockRows(table, condition),
      commit: () => end("commit"),
      rollback: () => end("rollback"),
    };
  }

  /** A session of the driver, closed at the end of the test at the latest. */
  async openSession(listens = true): Promise<DriverSession<unknown>> {
    const session = await this.driver.openSession({ listens, leads: true });
    this.#closing.push(() => session.close());
    return session;
  }

  /** Makes every read of many jobs take longer than a limit, until released. */
  async blockReads(): Promise<BlockedReads> {
    const { timeoutMs, release } = await this.#opened.blockReads();
    const released = once(release);
    this.#closing.push(released);
    return { timeoutMs, release: released };
  }

  openStranger(): Promise<RuntimeDriver<unknown>> {
    return this.#opened.openStranger();
  }

  unusableHandles(): Promise<readonly UnusableHandle[]> {
    return this.#opened.unusableHandles();
  }

  /** Sets columns of one job past the driver; values are SQL expressions. */
  async change(id: bigint, columns: Readonly<Record<string, string>>): Promise<void> {
    const assignments = Object.entries(columns).map(([column, value]) => `${column} = ${value}`);
    await this.raw.query(`UPDATE river_job SET ${assignments.join(", ")} WHERE id = ${id}`);
  }

  /** How many jobs there are. */
  async countJobs(): Promise<number> {
    const rows = await this.raw.query("SELECT count(*) AS n FROM river_job");
    return Number(only(rows)["n"]);
  }
}

/** `act`, of which only the first call does anything. */
function once(act: () => Promise<void>): () => Promise<void> {
  let first: Promise<void> | undefined;
  return () => (first ??= act());
}
