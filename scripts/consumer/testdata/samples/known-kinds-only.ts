import { PgDriver } from "@riverqueue/driver-pg";
import { Pool } from "pg";
import { Client } from "riverqueue";
import { migratedWorkers, workOne } from "./stand-ins.ts";

const client = new Client(new PgDriver(new Pool()), { fetchOnlyKnownKinds: true, leaderElectionDisabled: true, queues: { default: { maxWorkers: 10 } }, workers: migratedWorkers, });

await workOne(client, "default", true);
