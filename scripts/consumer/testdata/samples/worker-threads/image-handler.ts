import type { WorkerThreadWorkHandler } from "@riverqueue/worker-threads";
import type { resizeImage } from "./jobs.ts";

export const resizeImageHandler: WorkerThreadWorkHandler<typeof resizeImage> = ({ job, recordOutput }) => {
  recordOutput({ resizedTo: job.args.width });
};
