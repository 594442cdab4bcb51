/** Lines of a stream. A line ends with a line feed and nothing else: JSON text may hold the other separators of Unicode. */
import type { Readable } from "node:stream";

/** Every line without its end; what follows the last line feed is none. */
export async function* readLines(stream: Readable): AsyncGenerator<string, void, void> {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
