/** One run of the reindexer: which indexes are rebuilt, what is skipped, and what happens to interrupted rebuilds. */
import { logBackgroundFailure } from "../kit/transient.ts";
import { REINDEXER_INDEX_NAMES_DEFAULT } from "./maintenance-options.ts";
import type { ServiceContext } from "./maintenance-service.ts";
import type { Tenure } from "./tenure.ts";

/** Time spent on dropping what an interrupted rebuild left, in milliseconds. */
const CLEAN_UP_LIMIT_MS = 15_000;

/**
 * Rebuilds the configured indexes one after another and returns how many; null when the term ended first. A failure is
 * logged and the next index is tried.
 *
 * @throws the first failure, after all have been tried.
 */
export async function rebuildIndexes<Tx>(context: ServiceContext<Tx>, tenure: Tenure): Promise<number | null> {
  const { logger } = context;
  let rebuilt = 0;
  const failures: unknown[] = [];
  for (const index of await existingIndexes(context)) {
    if (!tenure.holds()) return null;
    try {
      if (await rebuildOne(context, tenure, index)) rebuilt++;
    } catch (error) {
      if (!tenure.holds()) {
        await dropLeftOvers(context, index);
        return null;
      }
      failures.push(error);
      logBackgroundFailure(logger, error, { index }, "rebuilding an index failed");
    }
  }
  if (failures.length > 0) throw failures[0];
  return rebuilt;
}

/** Names that do not exist are worth a warning only when somebody configured them. */
async function existingIndexes<Tx>({ facets, settings, logger }: ServiceContext<Tx>): Promise<readonly string[]> {
  const names = settings.reindexerIndexNames ?? REINDEXER_INDEX_NAMES_DEFAULT;
  const existing = new Set(await facets.indexes.existing({ names }));
  const missing = names.filter((name) => !existing.has(name));
  if (missing.length > 0 && settings.reindexerIndexNames !== null) {
    logger.warn({ indexes: missing }, "configured indexes do not exist and are not rebuilt");
  }
  return names.filter((name) => existing.has(name));
}

async function rebuildOne<Tx>(
  { facets, settings, logger }: ServiceContext<Tx>,
  { signal }: Tenure,
  index: string,
): Promise<boolean> {
  const artifacts = await facets.indexes.artifacts({ index });
  if (artifacts.length > 0) {
    logger.warn({ index, artifacts }, "an index is not rebuilt: drop what an interrupted rebuild of it left first");
    return false;
  }
  await facets.indexes.rebuild({ index, timeoutMs: settings.reindexerTimeoutMs, signal });
  return true;
}

async function dropLeftOvers<Tx>({ facets, logger }: ServiceContext<Tx>, index: string): Promise<void> {
  try {
    await facets.indexes.dropArtifacts({ index, timeoutMs: CLEAN_UP_LIMIT_MS });
  } catch (error) {
    logBackgroundFailure(logger, error, { index }, "dropping what an interrupted rebuild left failed");
  }
}
