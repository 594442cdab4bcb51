// What the user can put right.

/** Ends the command with its message as one line of error and exit code 1. */
export class DemoProblem extends Error {
  override readonly name = "DemoProblem";
}
