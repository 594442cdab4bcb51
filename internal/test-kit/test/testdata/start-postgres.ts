/** Starts a server, tells where it is, and waits for the end. */
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";
import { startPostgresServer } from "@riverqueue/internal-test-kit/postgres-server";

const { url, folder } = await startPostgresServer();
say({ url, folder });
await hear();
