/**
 * Notices: short JSON messages between clients of one database, in any language. Topics and payload shapes are the
 * shared protocol; receivers ignore white space, key order and unknown actions.
 */

/** Topic of a notice. */
export type NoticeTopic = "river_insert" | "river_control" | "river_leadership";

/** One message on a topic. */
export interface Notice {
  readonly topic: NoticeTopic;
  /** JSON text of an object; on Postgres below 8,000 bytes. */
  readonly payload: string;
}

/** Jobs became available in `queue`. */
export function insertNotice(queue: string): Notice {
  return { topic: "river_insert", payload: `{"queue": ${JSON.stringify(queue)}}` };
}

/** A job that is not finalized was cancelled. */
export function cancelNotice(jobId: bigint, queue: string): Notice {
  return { topic: "river_control", payload: `{"action":"cancel","job_id":${jobId},"queue":${JSON.stringify(queue)}}` };
}

/** `queue` (`*`: every queue) was paused. */
export function pauseNotice(queue: string): Notice {
  return { topic: "river_control", payload: `{"action":"pause","queue":${JSON.stringify(queue)}}` };
}

/** `queue` (`*`: every queue) was resumed. */
export function resumeNotice(queue: string): Notice {
  return { topic: "river_control", payload: `{"action":"resume","queue":${JSON.stringify(queue)}}` };
}

/** The metadata of `queue` was replaced by `metadata`, JSON text of an object. */
export function metadataChangedNotice(queue: string, metadata: string): Notice {
  const payload = `{"action":"metadata_changed","metadata":${metadata},"queue":${JSON.stringify(queue)}}`;
  return { topic: "river_control", payload };
}

/** The term of `leaderId` ended by resignation. */
export function resignedNotice(leaderId: string): Notice {
  return { topic: "river_leadership", payload: `{"leader_id":${JSON.stringify(leaderId)},"action":"resigned"}` };
}

/** Whoever leads is asked to resign. */
export function requestResignNotice(): Notice {
  return { topic: "river_leadership", payload: `{"action":"request_resign","leader_id":""}` };
}
