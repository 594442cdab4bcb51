// `npm run shop` in this folder: the shop on shop.db, or on the file that is named.
import { stopSignal } from "./stop-signal.ts";
import { startShop } from "./start-shop.ts";

const shop = await startShop({ path: process.argv[2] ?? "shop.db", port: 8787 });
console.log(`The shop is open at ${shop.url}. Try:

  curl -X PUT  ${shop.url}/orders/1 -d '{"customer":"ada"}'
  curl -X POST ${shop.url}/orders/1/payment
  curl         ${shop.url}/orders/1

Ctrl-C closes it; what it has not finished by then, or when it is killed, it finishes when it opens again.`);
await stopSignal();
await shop.stop();
