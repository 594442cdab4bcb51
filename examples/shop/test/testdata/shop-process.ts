// The shop as a process of its own: `shop-process.ts FILE PLACE` kills itself when it comes to that place.
import { say } from "@riverqueue/internal-test-kit/parent-channel";
import { startShop } from "../../src/start-shop.ts";

const [path = "", place = ""] = process.argv.slice(2);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const shop = await startShop({
  path,
  port: 0,
  logger: quiet,
  lease: { milliseconds: 400 },
  sweepAfter: { milliseconds: 300 },
  rescuerInterval: { milliseconds: 100 },
  reached: (at) => {
    if (at === place) process.kill(process.pid, "SIGKILL");
  },
});
say(shop.url);
