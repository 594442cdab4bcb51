// Which modules this repository publishes: what `tsc -b` builds, entry by entry. Everything that speaks about "each
// package" asks here, so that a package which joins the build joins the reports, the surface and the consumer too.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** One module that applications can import. */
export interface PublishedEntry {
  /** As it is imported: the package's name, with the sub-path where there is one. */
  readonly specifier: string;
  /** Folder of the package. */
  readonly folder: string;
  /** The report of its declarations. */
  readonly report: string;
  /** The built declarations. */
  readonly declarations: string;
}

/** A package that applications can install. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  /** Packages that the application has to install beside it, with their ranges. */
  readonly peers: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * The packages that `tsc -b` builds.
 *
 * @param root Folder of the repository.
 */
export function publishedPackages(root: string): PublishedPackage[] {
  return packageFolders(root).map((folder) => {
    const { name, version, peerDependencies = {} } = readManifest(folder);
    return { name, version, folder, peers: peerDependencies };
  });
}

/**
 * Every entry of the packages that `tsc -b` builds, in the order of their `exports`.
 *
 * @param root Folder of the repository.
 */
export function publishedEntries(root: string): PublishedEntry[] {
  return packageFolders(root).flatMap((folder) => {
    const { name, exports } = readManifest(folder);
    return Object.entries(exports).map(([path, { types }]) => ({
      specifier: name + path.slice(1),
      folder,
      report: join(folder, "etc", `${basename(folder)}${path.slice(1).replaceAll("/", "-")}.api.md`),
      declarations: join(folder, types),
    }));
  });
}

function packageFolders(root: string): string[] {
  // The file has comments, so it is no JSON.
  const text = readFileSync(join(root, "tsconfig.json"), "utf8");
  return [...text.matchAll(/"path": "([^"]+)"/g)].map((match) => join(root, dirname(match[1] ?? "")));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
