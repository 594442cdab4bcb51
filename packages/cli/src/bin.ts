/** The program: this process's arguments, streams and exit code around `run`. Imports nothing but what runs. */
import { run } from "./run.ts";

// A reader that has seen enough, such as `head`, closes the pipe. That is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exitCode = 1;
  });
}

void run(process.argv.slice(2)).then((code) => {
  if (code !== 0) process.exitCode = code;
});
