/**
 * Checks the sources of which nothing is known when a job fails because of another one.
 *
 * Each is requested once, with the GET of its download, so that the response is the one that the download would get: a
 * presigned URL is not valid for HEAD, and some sources reject Range. The head of the response decides, also whether size and media
 * type are those that are stated. Checksums are not compared.
 */
import type { Logger } from '#runtime/log/log.ts';
import type { SourceFile } from './bucket-source.ts';
import { type DownloadDeps, download, type SourceSink } from './download.ts';
import { isTooMany, type KnownSources, toSourceFailure } from './known-sources.ts';
import { createOriginQueue } from './origin-queue.ts';
import type { SourceSettings } from './settings.ts';
import { SourceError } from './source-error.ts';

export interface SourceCheckDeps {
  readonly files: readonly SourceFile[];
  readonly known: KnownSources;
  /** Those of the downloads, so that the same limits apply. */
  readonly download: DownloadDeps;
  readonly settings: Pick<SourceSettings, 'sourceCheckLimitMs' | 'sourceConcurrency'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A source that does not respond within this part of the time fails. Of a younger request nothing is known at the end. */
const RESPONSE_SHARE = 0.5;
/** How long a short body may delay the next request over its connection. */
const BODY_IDLE_MS = 1000;

function withLimits({ download: deps, settings }: SourceCheckDeps): DownloadDeps {
  const responseMs = Math.ceil(settings.sourceCheckLimitMs * RESPONSE_SHARE);
  const { headersTimeoutMs, idleTimeoutMs } = deps.limits;
  const limits = {
    ...deps.limits,
    connectTimeoutMs: responseMs,
    headersTimeoutMs: Math.min(headersTimeoutMs, responseMs),
    idleTimeoutMs: Math.min(idleTimeoutMs, BODY_IDLE_MS),
  };
  return { ...deps, limits };
}

function ignore(): void {
  return undefined;
}

interface Asking {
  readonly known: KnownSources;
  readonly download: DownloadDeps;
  readonly signal: AbortSignal;
}

async function ask(index: number, file: SourceFile, asking: Asking): Promise<void> {
  const { known, signal } = asking;
  const sink: SourceSink = {
    start: ({ declaredLength }) => known.good(index, declaredLength),
    continue: ignore,
    write: ignore,
  };
  try {
    await download({ ...file, index, sink, signal, resume: undefined, headOnly: true }, asking.download);
  } catch (error) {
    // A body that breaks off after its head does not count: only the head is checked.
    if (signal.aborted || known.isKnown(index)) return;
    if (error instanceof SourceError && !isTooMany(error)) known.failed(toSourceFailure(error));
  }
}

/** Ends when every source is known, at the time limit, or when the signal aborts. Never rejects. */
export async function checkSources(deps: SourceCheckDeps): Promise<void> {
  const { files, known, settings, log } = deps;
  const startedAt = performance.now();
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(settings.sourceCheckLimitMs)]);
  const asking: Asking = { known, download: withLimits(deps), signal };
  const unknown = [...files.entries()].filter(([index]) => !known.isKnown(index));
  let requested = 0;
  const queue = createOriginQueue(unknown.map(([index, { url }]) => [index, url]));
  async function work(): Promise<void> {
    while (!signal.aborted) {
      const taken = queue.take();
      const file = taken && files[taken.index];
      if (!file) return;
      requested += 1;
      await ask(taken.index, file, asking);
      taken.done();
    }
  }
  await Promise.all(Array.from({ length: settings.sourceConcurrency }, work));
  const { failures: _failures, ...counts } = known.summary();
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  log.info({ ...counts, requested, seconds }, 'checked the sources that were not downloaded');
}
