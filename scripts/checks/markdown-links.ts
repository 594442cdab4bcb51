// Keeps the links between the documents whole: every relative link names a file that exists, every anchor a heading.
import { posix } from "node:path";
import { type Problem, type SourceFile } from "./source-tree.ts";

const LINK = /\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)/gm;

/**
 * Reports relative links of Markdown files that lead nowhere. Addresses with a scheme are not looked at.
 *
 * @param files The repository; a link may also name a folder of it.
 */
export function checkMarkdownLinks(files: readonly SourceFile[]): Problem[] {
  const documents = new Map(files.map((file) => [file.path, file.text]));
  const folders = new Set(files.flatMap(({ path }) => parentFolders(path)));
  return files
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap(({ path, text }) => {
      const prose = proseOf(text);
      return [...prose.matchAll(LINK)].flatMap((match) => {
        const message = objection(path, match[1] ?? match[2] ?? "", documents, folders);
        const line = prose.slice(0, match.index).split("\n").length;
        return message === null ? [] : [{ path, line, message }];
      });
    });
}

function objection(
  from: string,
  link: string,
  documents: ReadonlyMap<string, string>,
  folders: ReadonlySet<string>,
): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return null;
  const [file = "", anchor] = link.split("#", 2);
  const target = file === "" ? from : posix.normalize(posix.join(posix.dirname(from), decodeURIComponent(file)));
  const text = documents.get(target);
  if (text === undefined) {
    return folders.has(target.replace(/\/$/, "")) ? null : `the link ${link} names no file of the repository`;
  }
  if (anchor === undefined || !target.endsWith(".md") || headingAnchors(text).has(anchor)) return null;
  return `the link ${link} names no heading of ${target}`;
}

function headingAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, line] of linesOutsideFences(text)) {
    const title = /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1];
    if (title === undefined) continue;
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-");
    let unique = slug;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${slug}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The text with lines of code fences left empty, so that links over two lines are whole, and inline code taken out. */
function proseOf(text: string): string {
  const lines = text.split("\n").fill("");
  for (const [line, prose] of linesOutsideFences(text)) {
    lines[line - 1] = prose.replace(/(`+)(?:(?!\1).)+\1/g, "code");
  }
  return lines.join("\n");
}

function linesOutsideFences(text: string): [number, string][] {
  let fence: string | null = null;
  return text.split("\n").flatMap((line, index): [number, string][] => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null;
      return [];
    }
    if (mark !== undefined) {
      fence = mark;
      return [];
    }
    return [[index + 1, line]];
  });
}

function parentFolders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
