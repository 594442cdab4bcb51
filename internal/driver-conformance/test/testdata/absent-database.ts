/** Registers the suite for a database that is missing, or, with a title to skip, for one that is there and broken. */
import { conform } from "@riverqueue/internal-driver-conformance";

const title = process.env["SKIPPED_TITLE"];

conform({
  name: "Nowhere",
  missing: title === undefined ? "no server" : false,
  skips: title === undefined ? {} : { [title]: "not here" },
  open: () => Promise.reject(new Error("there is no server")),
});
