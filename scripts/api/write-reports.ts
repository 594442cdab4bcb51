// `npm run api`: writes a report of the public declarations of each published entry into packages/*/etc, where a change
// of the public surface shows in review. With --check nothing is written, and a report that is out of date is a failure.
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import {
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
  type IExtractorConfigPrepareOptions,
} from "@microsoft/api-extractor";
import { type PublishedEntry, publishedEntries } from "./published-entries.ts";

type Tags = NonNullable<IExtractorConfigPrepareOptions["tsdocConfigFile"]>;

const root = dirname(dirname(import.meta.dirname));
const scratch = join(root, "node_modules", ".cache", "api-reports");
const check = process.argv.includes("--check");

mkdirSync(scratch, { recursive: true });
const tsdocConfigFile = loadTags();
for (const entry of publishedEntries(root)) {
  const problems = report(entry);
  const path = relative(root, entry.report);
  console.log(`${problems.length === 0 ? "✔" : "✖"} ${path}`);
  for (const problem of problems) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

/** Writes or compares one report; the problems are why that failed. */
function report(entry: PublishedEntry): string[] {
  const problems: string[] = [];
  if (!check) mkdirSync(dirname(entry.report), { recursive: true });
  const { apiReportChanged, succeeded } = Extractor.invoke(configurationOf(entry), {
    localBuild: !check,
    messageCallback(message: ExtractorMessage) {
      if (message.logLevel === ExtractorLogLevel.Error)
        problems.push(`${message.sourceFilePath ?? ""} ${message.text}`.trim());
      // What it would say by itself is either in the report or of no use here.
      message.handled = true;
    },
  });
  if (check && apiReportChanged) problems.push("out of date; run: npm run api");
  else if (!succeeded && problems.length === 0) problems.push("the report could not be made");
  return problems;
}

function configurationOf({ folder, report: path, declarations }: PublishedEntry): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, "package.json"),
    tsdocConfigFile,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: declarations,
      newlineKind: "lf",
      compiler: {
        overrideTsconfig: {
          compilerOptions: { target: "esnext", module: "nodenext", lib: ["esnext"], types: ["node"], strict: true },
          files: [declarations],
        },
      },
      apiReport: {
        enabled: true,
        reportFolder: dirname(path),
        reportTempFolder: scratch,
        reportFileName: basename(path),
        // Types that have no name of their own to applications are part of what they can rely on all the same.
        includeForgottenExports: true,
        tagsToReport: { "@addition": true },
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
    },
  });
}

/** The tags of docstrings, with `@addition`, which this repository adds. */
function loadTags(): Tags {
  // The reader of the tags has to be the extractor's own copy.
  const ofExtractor = createRequire(createRequire(import.meta.url).resolve("@microsoft/api-extractor"));
  const { TSDocConfigFile } = ofExtractor("@microsoft/tsdoc-config") as {
    readonly TSDocConfigFile: { loadFile(path: string): Tags };
  };
  const tags = TSDocConfigFile.loadFile(join(import.meta.dirname, "tsdoc.json"));
  if (tags.hasErrors) throw new Error(tags.getErrorSummary());
  return tags;
}
