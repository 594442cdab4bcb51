// `npm run demo [-- FOLDER] [--database-url URL]`: indexes the files of a folder with background jobs. Exit codes: 0 when every file is
// indexed, 1 for a problem with the command itself, 2 when a file could not be read, 128 plus a signal when stopped.
import { readCommandLine } from "./command-line.ts";
import { DemoProblem } from "./demo-problem.ts";
import { Display } from "./display.ts";
import { runIndex } from "./run-index.ts";
import { listenForStop } from "./stop-signals.ts";

try {
  using signals = listenForStop();
  // npm runs scripts in the folder of package.json and says in INIT_CWD where the user typed.
  const task = await readCommandLine(process.argv.slice(2), process.env["INIT_CWD"] ?? process.cwd());
  process.exitCode = await runIndex(task, new Display(process.stdout), signals);
} catch (error) {
  console.error(error instanceof DemoProblem ? `demo: ${error.message}` : error);
  process.exitCode = 1;
}
