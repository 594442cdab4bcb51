/** Thenables that throw, or settle more than once. */

type Then = (resolve: (value?: unknown) => void, reject: (reason: unknown) => void) => void;

/** What a thenable does with its callbacks, and the error that is recorded of it. */
export const THENABLES: readonly (readonly [message: string, then: Then])[] = [
  [
    "in then",
    () => {
      throw new Error("in then");
    },
  ],
  [
    "rejected, then thrown",
    (_, reject) => {
      reject("rejected, then thrown");
      throw new Error("too late");
    },
  ],
  [
    "rejected twice",
    (_, reject) => {
      reject("rejected twice");
      reject("again");
    },
  ],
];
