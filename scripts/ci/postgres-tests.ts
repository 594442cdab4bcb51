/** Which tests depend on the version of Postgres. */

/** Cases whose outcome lies in statements, locks and errors of the server. The others are about the runtime. */
const SQL_CASES: readonly number[] = [1, 2, 3, 7, 8, 10, 18, 20, 22, 23, 24];

/** Patterns of their files: conformance, the SQL and the transactions of the driver, migrations, and the SQL cases. */
export const POSTGRES_TESTS: readonly string[] = [
  "packages/driver-pg/test/*.test.ts",
  "packages/migrate/test/*.test.ts",
  "packages/cli/test/postgres.test.ts",
  ...SQL_CASES.map((number) => `internal/scenarios/test/c${String(number).padStart(2, "0")}-*.test.ts`),
];
