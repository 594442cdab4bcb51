/** The conformance suite on Postgres. */
import { conform } from "@riverqueue/internal-driver-conformance";
import { failOnLeaks } from "@riverqueue/internal-test-kit";
import { postgresMissing } from "@riverqueue/internal-test-kit/postgres-database";
import { driverFixture } from "./fixture/driver-fixture.ts";
import { driverUnderTest } from "./fixture/driver-under-test.ts";

failOnLeaks();

conform({
  name: "Postgres",
  missing: postgresMissing(),
  skips: {},
  async open(t) {
    const fixture = await driverFixture(t);
    return driverUnderTest(t, { ...fixture, connect: () => fixture.lease.connect() });
  },
});
