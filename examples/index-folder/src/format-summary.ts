// The lines of the summary.
import type { Failure, IndexReport } from "./index-report.ts";
import { showText } from "./stored-path.ts";

/** Words for a report, with what the walk could not look at among its failures. */
export function formatSummary(folder: Buffer, report: IndexReport, unreadable: readonly Failure[]): string[] {
  const failures = [...unreadable, ...report.failures];
  const indexed = report.files - report.failures.length;
  return [
    `Summary of ${showText(folder.toString())}`,
    `  files indexed      ${count(indexed)} (${count(report.indexedNow)} in this run)`,
    `  lines              ${count(report.lines)}`,
    `  bytes              ${count(report.bytes)}`,
    `  could not be read  ${count(failures.length)}`,
    ...failures.map(({ path, reason }) => `    ${path}: ${reason}`),
  ];
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
