/** Child process: sends back what it hears until it hears nothing more; "noise" makes it write what is no JSON. */
import { hear, say } from "@riverqueue/internal-test-kit/parent-channel";

say({ args: process.argv.slice(2), colour: process.env["COLOUR"] });
for (let message = await hear(); message !== undefined; message = await hear()) {
  if (message === "noise") console.log("no JSON at all");
  say(message);
}
process.exitCode = 3;
