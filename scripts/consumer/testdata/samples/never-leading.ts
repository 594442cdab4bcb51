import { PgDriver } from "@riverqueue/driver-pg";
import { Pool } from "pg";
import { Client } from "riverqueue";
import { videoWorkers, workOne } from "./stand-ins.ts";

const videoClient = new Client(new PgDriver(new Pool()), { leaderElectionDisabled: true, queues: { video: { maxWorkers: 4 } }, workers: videoWorkers, });

await workOne(videoClient, "video");
