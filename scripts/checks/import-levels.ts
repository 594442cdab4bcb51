// Keeps dependencies pointing one way. Two tables say who may import whom; an import that a table does not allow is a
// problem, type imports included. Cycles between files are the linter's part.
import { posix } from "node:path";
import { findImports, type ImportOfFile } from "./find-imports.ts";
import { isCode, isTest, type Problem, type SourceFile } from "./source-tree.ts";

/**
 * Which packages the sources of a package may import, by specifier. Node's own modules (`node:…`) are always allowed.
 *
 * - The core imports no package, and so never a concrete driver.
 * - Drivers and migrations stand below the rooms of the core: they see the driver seam only, and never each other.
 * - The command line stands above them all; databases it reaches through {@link DYNAMIC_PACKAGES}.
 * - The conformance suite sees drivers by the seam alone.
 * - Examples, measurements and the test kit stand on top and import what they like.
 */
const ALLOWED_PACKAGES: Readonly<Record<string, readonly string[] | "any">> = {
  "packages/riverqueue": [],
  "packages/driver-sqlite": ["riverqueue/driver"],
  "packages/driver-pg": ["riverqueue/driver"],
  "packages/migrate": ["riverqueue/driver"],
  "packages/worker-threads": ["riverqueue"],
  "packages/reaction": ["riverqueue"],
  "packages/reaction-cloudflare": ["@riverqueue/reaction", "@riverqueue/reaction/home"],
  "packages/cli": ["riverqueue", "@riverqueue/migrate"],
  "internal/driver-conformance": ["riverqueue/driver", "@riverqueue/internal-test-kit", "fast-check"],
  "internal/test-kit": "any",
  "internal/scenarios": "any",
  "examples/cloudflare-worker": "any",
  "examples/index-folder": "any",
  "examples/shop": "any",
  "examples/worker-thread-cpu": "any",
  bench: "any",
  interop: "any",
};

/**
 * Packages whose sources run in places that have web-standard APIs only, with the folder that is excepted: elsewhere they
 * import no package and nothing of Node's.
 */
const WEB_STANDARD: Readonly<Record<string, string>> = { "packages/reaction": "packages/reaction/src/embedded/" };

/** What sources may import with `import()` beside that: databases, each of which an installation may be without. */
const DYNAMIC_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "packages/cli": ["pg", "@riverqueue/driver-pg", "@riverqueue/driver-sqlite"],
};

/**
 * The rooms of the core, lowest level first. A room imports from its own level and from those before it; rooms of one
 * level may know each other, and the linter sees to it that no two files do so in a circle.
 */
const CORE_LEVELS: readonly (readonly string[])[] = [
  ["model", "json", "options"],
  ["driver"],
  ["kit"],
  ["definition"],
  ["api", "insert"],
  ["work"],
  ["extend", "periodic", "fleet"],
  ["runtime", "maintenance", "operations"],
  ["client"],
  ["index.ts"],
];

/** How a driver package reaches the interface in which it registers the type of its transactions: no name is imported. */
const REGISTRATION = 'import type {} from "riverqueue";';

const CORE_SOURCES = "packages/riverqueue/src/";

/**
 * Checks every import of the repository against the two tables.
 *
 * @param files The repository; tests may import any package, and no file may reach into another package by a path.
 */
export function checkImportLevels(files: readonly SourceFile[]): Problem[] {
  return files.filter(isCode).flatMap((file) =>
    findImports(file.text).flatMap((found) => {
      const { line } = found;
      const message = objection(file, found);
      return message === null ? [] : [{ path: file.path, line, message }];
    }),
  );
}

function objection(file: SourceFile, { specifier, line, isDynamic }: ImportOfFile): string | null {
  const owner = packageOf(file.path);
  if (owner === null) return null;
  const excepted = WEB_STANDARD[owner];
  if (excepted !== undefined && !isTest(file) && !file.path.startsWith(excepted) && !specifier.startsWith(".")) {
    return `only ${excepted} may import ${JSON.stringify(specifier)}; the rest of ${owner} uses web-standard APIs alone`;
  }
  if (specifier.startsWith("node:")) return null;
  if (specifier.startsWith(".")) return relativeObjection(file, owner, posix.join(posix.dirname(file.path), specifier));
  if (isTest(file)) return null;
  const allowed = ALLOWED_PACKAGES[owner];
  if (allowed === undefined) return `${owner} has no line in the table of import levels`;
  if (allowed === "any" || allowed.includes(specifier)) return null;
  if (isDynamic && DYNAMIC_PACKAGES[owner]?.includes(specifier) === true) return null;
  if (/\/driver-[^/]+$/.test(owner) && file.text.split("\n")[line - 1] === REGISTRATION) return null;
  return `${owner} may not import ${JSON.stringify(specifier)}; allowed: ${allowed.join(", ") || "no package"}`;
}

function relativeObjection(file: SourceFile, owner: string, target: string): string | null {
  if (!target.startsWith(`${owner}/`)) return `reaches out of ${owner} by a path; import other packages by their name`;
  if (isTest(file)) return null;
  if (!target.startsWith(`${owner}/src/`)) return "sources may not import what is outside of src/";
  return owner === "packages/riverqueue" ? roomObjection(file.path, target) : null;
}

function roomObjection(from: string, target: string): string | null {
  const [own, other] = [roomOf(from), roomOf(target)];
  const [ownLevel, otherLevel] = [levelOf(own), levelOf(other)];
  if (ownLevel === -1) return `room ${own} has no level in the table of import levels`;
  if (otherLevel === -1) return `room ${other} has no level in the table of import levels`;
  return otherLevel > ownLevel ? `room ${own} may not import from ${other}, which stands above it` : null;
}

function packageOf(path: string): string | null {
  return /^(?:(?:packages|internal|examples)\/[^/]+|bench|interop)(?=\/)/.exec(path)?.[0] ?? null;
}

function roomOf(path: string): string {
  return path.slice(CORE_SOURCES.length).split("/", 1).join("");
}

function levelOf(room: string): number {
  return CORE_LEVELS.findIndex((level) => level.includes(room));
}
