#!/usr/bin/env node
// What npm links as `riverqueue`. Written so that the oldest Node.js reads it and can say what is missing; the program
// itself is loaded only where it can run.
"use strict";

if (parseInt(process.versions.node, 10) < 26) {
  process.stderr.write("riverqueue: Node.js 26 or newer is needed; this is Node.js " + process.versions.node + "\n");
  process.exitCode = 1;
} else {
  require("../dist/bin.js");
}
