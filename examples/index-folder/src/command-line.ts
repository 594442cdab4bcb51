// What the user typed, and where: turned into the folder to index and the database.
import { opendir, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type DatabaseAddress, readDatabaseUrl } from "./database-address.ts";
import { DemoProblem } from "./demo-problem.ts";
import { showText } from "./stored-path.ts";

/** What to do, checked. */
export interface CommandLine {
  /** Real path of the folder to index; bytes, because names need not be text. */
  readonly folder: Buffer;
  /** `demo.db` in the folder where the user is unless another one is named. */
  readonly database: DatabaseAddress;
}

const USAGE = "npm run demo [-- FOLDER] [--database-url postgres://… | sqlite://PATH]";
const REPOSITORY = resolve(import.meta.dirname, "../../..");

/**
 * Reads the command line; touches nothing.
 *
 * @param args What follows the name of the program.
 * @param here Where the user typed: a relative FOLDER counts from it.
 * @throws DemoProblem for anything that is not one folder that can be read, or no URL of a database.
 */
export async function readCommandLine(args: readonly string[], here: string): Promise<CommandLine> {
  const { positionals, url } = parse(args);
  const [given, ...more] = positionals;
  if (more.length > 0) throw new DemoProblem(`give one folder at most: ${USAGE}`);
  if (given === "") throw new DemoProblem("the name of the folder is empty");
  const folder = given === undefined ? REPOSITORY : resolve(here, given);
  return { folder: await readableFolder(folder), database: await readDatabaseUrl(url, here) };
}

function parse(args: readonly string[]): { readonly positionals: readonly string[]; readonly url: string | undefined } {
  const options = { "database-url": { type: "string" } } as const;
  try {
    const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options });
    return { positionals, url: values["database-url"] };
  } catch (error) {
    throw new DemoProblem(`${(error as Error).message.split(". ", 1)[0]}; usage: ${USAGE}`);
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
