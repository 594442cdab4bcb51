// Turns a silent fall-back to the host's older Node into one clear line. Parses and runs on Node 20.

/** Ends the process with a message unless it runs on Node.js 26 or newer. */
export function requireNode26() {
  if (Number.parseInt(process.versions.node, 10) >= 26) return;
  console.error(
    `This needs Node.js 26 or newer and is running on ${process.versions.node} (${process.execPath}).\n` +
      "Start it through npm (`npm test`, `npm run …`), after `npm run setup` has put Node.js 26 into node_modules/.bin.",
  );
  process.exit(1);
}
