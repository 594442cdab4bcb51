/** Exports that a reference may and may not name. Only their types are imported. */
import type { WorkerThreadWorkHandler } from "../../src/index.ts";
import type { findPrime, rich } from "./typed-jobs.ts";

export const findPrimeHandler: WorkerThreadWorkHandler<typeof findPrime> = ({ job }) => void job.args.ordinal;
export const anyHandler: WorkerThreadWorkHandler = () => {};
export const describeRich: WorkerThreadWorkHandler<typeof rich> = ({ job }) => void job.args.at.getTime();
export const nthSquare = (n: number): number => n * n;
