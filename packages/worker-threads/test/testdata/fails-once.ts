/** A module that cannot be loaded while an environment variable of the test is set. */
if (Object.keys(process.env).some((name) => name.startsWith("river-fails-once-"))) throw new Error("first import");

export function succeed(): void {}
export function exit(): never {
  process.exit(9);
}
