// The table `files`, as the rest of the program sees it. Each database has statements of its own for it.
import type { FoundFile } from "./find-files.ts";
import type { Measurement } from "./measure-file.ts";
import type { StoredPath } from "./stored-path.ts";

/** Which file a row stands for, and which job has it. */
export interface FileRow {
  readonly id: bigint;
  readonly path: StoredPath;
  readonly jobId: bigint | null;
}

/** A file as a walk has found it. */
export interface SavedFile {
  readonly row: FileRow;
  /** Nothing has changed since it was indexed. */
  readonly isIndexed: boolean;
}

/** Figures about the files below a folder. */
export interface FolderFigures {
  readonly files: number;
  readonly indexedSince: number;
  readonly bytes: number;
  readonly lines: number;
}

/** The table, in one transaction or outside of any. What writes belongs into a transaction. */
export interface FilesTable {
  /** A walk begins: nothing is met yet. Only one walk goes on at a time. */
  beginWalk(): Promise<void>;
  /**
   * Stores files as they are now, and notes that the walk has met them. A row whose file has changed since it was indexed
   * loses its results.
   *
   * @returns the rows, in the order of the files.
   */
  saveFound(files: readonly FoundFile[]): Promise<readonly SavedFile[]>;
  /** The walk could not look at `path`: what is there or below counts as met. */
  noteUnknown(path: Buffer): Promise<void>;
  /**
   * The walk is over: removes the rows below `folder` that it has not met, because their files are gone. A job that one
   * of them has finds no file and ends.
   *
   * @returns how many there were.
   */
  removeMissing(folder: Buffer): Promise<number>;
  /** Gives files to jobs; from now on only those may write their results. */
  assignJobs(assignments: readonly { readonly fileId: bigint; readonly jobId: bigint }[]): Promise<void>;
  /** The file that a job has; null when it has none, or none any more. */
  findByJob(jobId: bigint): Promise<FileRow | null>;
  /** Writes the results of a job, and counts them; false when the file has been given to another job. */
  saveMeasurement(jobId: bigint, measured: Measurement): Promise<boolean>;
  /** Removes the file that a job has; false when it has none any more. */
  removeByJob(jobId: bigint): Promise<boolean>;
  /** Figures about the files below `folder`. */
  figures(folder: Buffer, since: Temporal.Instant): Promise<FolderFigures>;
  /** Files below `folder` that have no results, by path. */
  notIndexed(folder: Buffer): Promise<readonly FileRow[]>;
}
