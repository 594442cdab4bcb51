// Runs once before all tests of this folder: what every test run needs, and the program of River for Go.
import { globalSetup as setUpTests } from "./test-global-setup.mjs";
import { buildGoPeer, goMissing } from "../interop/src/build-go-peer.ts";

export { globalTeardown } from "./test-global-setup.mjs";

export async function globalSetup() {
  const missing = goMissing();
  if (missing === false) await buildGoPeer();
  else console.log(`the tests against River for Go are skipped: ${missing}`);
  await setUpTests();
}
