/** What is wrong, in words for the person at the terminal: one line, without secrets. */

/** See the file header. */
export class CliProblem extends Error {}
