/** A limit for waiting, so that a test that waits in vain fails with a message instead of hanging. */

/** Limit where none is given, in milliseconds: far beyond what any wait takes on a busy machine. */
export const DEFAULT_DEADLINE_MS = 30_000;

/** How long to wait at most. */
export interface DeadlineOptions {
  /** Milliseconds; {@link DEFAULT_DEADLINE_MS} by default. */
  readonly deadlineMs?: number;
}

/** What `promise` settles to, or an error once the deadline has passed. `missing` names what was waited for. */
export async function withDeadline<T>(
  promise: PromiseLike<T>,
  missing: string | (() => string),
  { deadlineMs = DEFAULT_DEADLINE_MS }: DeadlineOptions = {},
): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  // The timer is what rejects; nothing waits for it to pass.
  const timer = setTimeout(() => {
    const what = typeof missing === "string" ? missing : missing();
    deadline.reject(new Error(`waited ${deadlineMs} ms in vain for ${what}`));
  }, deadlineMs);
  try {
    return await Promise.race([promise, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}
