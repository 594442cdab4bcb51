// Reads from a report of write-reports.ts what an entry exports. Knows the form of the reports and nothing about what
// they should say.

/** One exported name. A class is a value and a type; so is a constant beside a type of the same name. */
export interface ExportedName {
  readonly name: string;
  readonly isValue: boolean;
  readonly isType: boolean;
  /** Whether one of its declarations has a docstring. */
  readonly isDocumented: boolean;
}

/** What an entry exports. */
export interface Surface {
  readonly names: readonly ExportedName[];
  /** What is marked `@addition`: exported names, and members as `Owner.member`. */
  readonly additions: readonly string[];
}

type Keyword = "class" | "const" | "enum" | "function" | "interface" | "let" | "type";

const DECLARATION =
  /^export (?:declare |default )?(?:abstract )?(?<keyword>class|const|enum|function|interface|let|type) (?<name>\w+)/;
const REEXPORT = /^export \{ (?<name>\w+) \}$/;
const MEMBER = /^ {4}(?:readonly |static |get |set |abstract )*(?:\[[^\]]+\]|(?<name>\w+))/;
/** What stands behind an exported name of the same name, as an interface behind an alias, has a number in the report. */
const RENAMED = /^(?:declare )?(?:abstract )?(?:class|interface) (?<name>\w+)_\d+\b/;
const VALUE_KEYWORDS: ReadonlySet<string> = new Set<Keyword>(["class", "const", "enum", "function", "let"]);
const TYPE_KEYWORDS: ReadonlySet<string> = new Set<Keyword>(["class", "enum", "interface", "type"]);

/**
 * Reads a report.
 *
 * @param report Text of an `*.api.md`.
 * @throws Error for an exported declaration of a form that it does not know, so that none goes unseen.
 */
export function readSurface(report: string): Surface {
  const names = new Map<string, ExportedName>();
  const additions: string[] = [];
  let owner: string | null = null;
  let comment = "";
  for (const line of report.split("\n")) {
    if (/^\s*\/\/ /.test(line)) {
      comment = line;
      continue;
    }
    if (line.startsWith("export ")) {
      const found = readExport(line, comment);
      owner = found.name;
      names.set(found.name, merged(names.get(found.name), found));
      if (isAddition(comment)) additions.push(found.name);
    } else if (/^\S/.test(line) && line !== "}") {
      owner = RENAMED.exec(line)?.groups?.["name"] ?? null;
    } else if (owner !== null && isAddition(comment)) {
      const member = MEMBER.exec(line)?.groups?.["name"];
      if (member !== undefined) additions.push(`${owner}.${member}`);
    }
    comment = "";
  }
  return { names: [...names.values()], additions };
}

function readExport(line: string, comment: string): ExportedName {
  const reexport = REEXPORT.exec(line)?.groups?.["name"];
  // What is handed on from another package is documented there, and is a value or a type as it is there: both may be.
  if (reexport !== undefined) return { name: reexport, isValue: true, isType: true, isDocumented: true };
  const { keyword = "", name = "" } = DECLARATION.exec(line)?.groups ?? {};
  if (name === "") throw new Error(`the form of this export is not known: ${line}`);
  return {
    name,
    isValue: VALUE_KEYWORDS.has(keyword),
    isType: TYPE_KEYWORDS.has(keyword),
    isDocumented: comment.includes("@public") && !comment.includes("(undocumented)"),
  };
}

function merged(known: ExportedName | undefined, found: ExportedName): ExportedName {
  if (known === undefined) return found;
  return {
    name: found.name,
    isValue: known.isValue || found.isValue,
    isType: known.isType || found.isType,
    isDocumented: known.isDocumented || found.isDocumented,
  };
}

function isAddition(comment: string): boolean {
  return comment.includes("@addition");
}
