/** Registers the suite for one database: which tests, through what, and what is said about them at the end. */
import test, { after, type TestContext } from "node:test";
import type { BackendUnderTest } from "./backend-under-test.ts";
import type { ConformanceTest, ConformanceTestOptions } from "./conformance-test.ts";
import { errorTests } from "./errors.ts";
import { extensionTests } from "./extension.ts";
import { indexTests } from "./indexes.ts";
import { inspectTests } from "./inspect.ts";
import { changeTests } from "./jobs/change.ts";
import { claimTests } from "./jobs/claim.ts";
import { damageTests } from "./jobs/damage.ts";
import { deleteTests } from "./jobs/delete.ts";
import { insertTests } from "./jobs/insert.ts";
import { listTests } from "./jobs/list.ts";
import { lockedRowTests } from "./jobs/locked-rows.ts";
import { maintainTests } from "./jobs/maintain.ts";
import { metadataFilterTests } from "./jobs/metadata-filter.ts";
import { promoteTests } from "./jobs/promote.ts";
import { refusedRowTests } from "./jobs/refused-rows.ts";
import { settleOwnershipTests } from "./jobs/settle-ownership.ts";
import { settlePropertyTests } from "./jobs/settle-properties.ts";
import { settleTests } from "./jobs/settle.ts";
import { storedValueTests } from "./jobs/stored-values.ts";
import { uniqueTests } from "./jobs/unique.ts";
import { leaderTransactionTests } from "./leader-transactions.ts";
import { leaderTests } from "./leader.ts";
import { migrationTests } from "./migrations.ts";
import { noticeTests } from "./notices.ts";
import { queueRowTests } from "./queue-rows.ts";
import { queueTests } from "./queues.ts";
import { scopeTests } from "./scopes.ts";
import { sessionTests } from "./sessions.ts";
import { Subject, type Through } from "./subject.ts";
import { transactionTests } from "./transactions.ts";

/** Tests of facets, which a driver and its sessions share. */
const OF_FACETS: readonly ((test: ConformanceTest) => void)[] = [
  insertTests,
  uniqueTests,
  storedValueTests,
  claimTests,
  settleTests,
  settleOwnershipTests,
  settlePropertyTests,
  changeTests,
  deleteTests,
  listTests,
  metadataFilterTests,
  promoteTests,
  maintainTests,
  damageTests,
  lockedRowTests,
  refusedRowTests,
  queueTests,
  queueRowTests,
  leaderTests,
  leaderTransactionTests,
  noticeTests,
  indexTests,
  inspectTests,
  extensionTests,
  scopeTests,
  errorTests,
];

/** Tests of what a driver has and a session has not. */
const OF_DRIVERS: readonly ((test: ConformanceTest) => void)[] = [transactionTests, migrationTests, sessionTests];

/** Registers every test of the suite for `backend`. Call it once in a test file. */
export function conform(backend: BackendUnderTest): void {
  if (backend.missing !== false && process.env["CI"]) {
    test(`${backend.name}: conformance`, () => {
      throw new Error(`conformance is mandatory here, and cannot be tested: ${backend.missing}`);
    });
    return;
  }
  const registration = new Registration(backend);
  for (const register of [...OF_FACETS, ...OF_DRIVERS]) register(registration.through("driver"));
  for (const register of OF_FACETS) register(registration.through("session"));
  registration.end();
}

class Registration {
  readonly #backend: BackendUnderTest;
  readonly #unusedSkips: Set<string>;
  readonly #skipped = new Map<string, number>();
  #ran = 0;

  constructor(backend: BackendUnderTest) {
    this.#backend = backend;
    this.#unusedSkips = new Set(Object.keys(backend.skips));
  }

  through(through: Through): ConformanceTest {
    const prefix = through === "driver" ? this.#backend.name : `${this.#backend.name} session`;
    return (title, body, options = {}) => {
      const run = (t: TestContext): Promise<void> => this.#run(t, through, body, options);
      const skip = this.#reasonToSkip(title);
      if (skip !== false) this.#note(skip);
      test(`${prefix}: ${title}`, { skip }, run);
    };
  }

  /** Says what ran, and fails for reasons that belong to no test. */
  end(): void {
    const { name } = this.#backend;
    if (this.#backend.missing === false && this.#unusedSkips.size > 0) {
      const titles = [...this.#unusedSkips].join("; ");
      test(`${name}: every reason to skip belongs to a test`, () => {
        throw new Error(`no test is called ${titles}`);
      });
    }
    after(() => {
      const skips = [...this.#skipped.values()].reduce((sum, count) => sum + count, 0);
      console.log(`conformance of ${name}: ${this.#ran} tests ran, ${skips} were skipped`);
      for (const [reason, count] of this.#skipped) console.log(`  ${count} skipped: ${reason}`);
    });
  }

  #reasonToSkip(title: string): string | false {
    this.#unusedSkips.delete(title);
    if (this.#backend.missing !== false) return this.#backend.missing;
    return this.#backend.skips[title] ?? false;
  }

  async #run(
    t: TestContext,
    through: Through,
    body: (subject: Subject) => Promise<void>,
    { needsRowLocks = false }: ConformanceTestOptions,
  ): Promise<void> {
    const opened = await this.#backend.open(t);
    if (needsRowLocks && opened.driver.traits.singleWriter) {
      const reason = "one writer at a time: nobody can hold a single row";
      this.#note(reason);
      t.skip(reason);
      return;
    }
    this.#ran += 1;
    const subject = await Subject.open(opened, through);
    try {
      await body(subject);
    } finally {
      await subject.close();
    }
  }

  #note(reason: string): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1);
  }
}
