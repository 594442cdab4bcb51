// Loaded before the program: makes `pg` as absent as where nobody has installed it.
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "pg") return next("pg", { ...context, parentURL: "file:///nowhere/at/all.js" });
    return next(specifier, context);
  },
});
