// What the user typed, and where: turned into the folder to index and the place of the database.
import { opendir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DemoProblem } from "./demo-problem.ts";
import { showText } from "./stored-path.ts";

/** What to do, checked. */
export interface CommandLine {
  /** Real path of the folder to index; bytes, because names need not be text. */
  readonly folder: Buffer;
  /** Real path of `demo.db` in the folder where the user is; it need not exist. */
  readonly databasePath: string;
}

const REPOSITORY = resolve(import.meta.dirname, "../../..");

/**
 * Reads the command line; touches nothing.
 *
 * @param args What follows the name of the program.
 * @param here Where the user typed: a relative FOLDER counts from it.
 * @throws DemoProblem for anything that is not one folder that can be read.
 */
export async function readCommandLine(args: readonly string[], here: string): Promise<CommandLine> {
  const [given, ...more] = readPositionals(args);
  if (more.length > 0) throw new DemoProblem("give one folder at most: npm run demo [-- FOLDER]");
  if (given === "") throw new DemoProblem("the name of the folder is empty");
  const folder = given === undefined ? REPOSITORY : resolve(here, given);
  return { folder: await readableFolder(folder), databasePath: await placeOfDatabase(here) };
}

/** A link is resolved, because SQLite keeps its further files beside the real one. */
async function placeOfDatabase(here: string): Promise<string> {
  const path = join(await realpath(here), "demo.db");
  return await realpath(path).catch(() => path);
}

function readPositionals(args: readonly string[]): string[] {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: {} }).positionals;
  } catch (error) {
    throw new DemoProblem(`${(error as Error).message.split(". ", 1)[0]}; usage: npm run demo [-- FOLDER]`);
  }
}

async function readableFolder(path: string): Promise<Buffer> {
  const name = showText(path);
  try {
    const real = await realpath(path, "buffer");
    if (!(await stat(real)).isDirectory()) throw new DemoProblem(`${name} is not a folder`);
    await (await opendir(real)).close();
    return real;
  } catch (error) {
    if (error instanceof DemoProblem) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new DemoProblem(`there is no folder ${name}`);
    if (code === "ENOTDIR") throw new DemoProblem(`${name} is not a folder`);
    if (code === "EACCES" || code === "EPERM")
      throw new DemoProblem(`the folder ${name} cannot be read: permission denied`);
    throw new DemoProblem(`the folder ${name} cannot be read: ${message}`);
  }
}
