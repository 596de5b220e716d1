import { Readable } from 'node:stream';
import { AppError, toError } from '#runtime/errors.ts';
import { csvOf } from '#runtime/history/csv.ts';
import { PageError, type PageRequest, type Route, type SentFile } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { validJobQuery } from '../jobs/job-filters.ts';
import { createUserPlaces } from '../user/user-places.ts';
import { HISTORY_AWAY, isHistoryAway } from './history-away.ts';
import { historyFilter } from './history-query.ts';
import type { History } from './history-reader.ts';
import { projectUidOf } from './project-uid.ts';
import { READ_HISTORY } from './read-history.ts';

function fileName({ namespace, now }: PageRequest): string {
  return `zipjobs-${namespace}-${now.toISOString().slice(0, 10)}.csv`;
}

/** Reads the header and the first jobs, so that most failures become a page instead of a file that ends early. */
async function started(
  texts: AsyncGenerator<string, void, undefined>,
): Promise<AsyncGenerator<string, void, undefined>> {
  const first = [await texts.next(), await texts.next()].flatMap(({ value }) => value ?? []);
  return (async function* () {
    yield* first;
    yield* texts;
  })();
}

/** Unlike that of Readable.from, this stream ends at once, and not after the statement that runs for it. */
function streamOf(
  texts: AsyncGenerator<string, void, undefined>,
  { signal, onClose }: { readonly signal: AbortSignal; readonly onClose: () => void },
): Readable {
  return new Readable({
    signal,
    // Each text is an object: an empty one must not end the reading.
    objectMode: true,
    highWaterMark: 1,
    read() {
      texts.next().then(
        ({ value }) => this.push(value ?? null),
        (error: unknown) => this.destroy(toError(error)),
      );
    },
    destroy(error, done) {
      onClose();
      texts.return().catch(() => undefined);
      done(error);
    },
  });
}

/** Nobody sees this page, and it is not logged as a failure. */
const CLIENT_LEFT = new PageError(408, 'Export cancelled', 'The connection was closed.');

function exportError(error: unknown, signal: AbortSignal): Error {
  const isOutOfTime = signal.aborted && error === signal.reason;
  if (isOutOfTime || isHistoryAway(error))
    return new PageError(503, 'The history is not available', HISTORY_AWAY);
  const isInvalid = error instanceof AppError && error.code === 'InvalidFilter';
  return isInvalid ? new PageError(422, 'Invalid filter', error.message) : toError(error);
}

/** The filtered jobs of the history as CSV. Rows are read while they are sent, so a slow client causes no faster reads than it saves. */
export function createHistoryExport({ config, metrics }: PageDeps, history: History): readonly Route[] {
  const places = config.dashboardExportsInFlight;
  const takePlace = createUserPlaces({ limit: 'exports', places, retryAfterSeconds: 60, metrics });
  async function bodyOf(request: PageRequest): Promise<Readable> {
    const filter = historyFilter(
      await projectUidOf(request),
      validJobQuery(request.query, 'history'),
      request.now,
    );
    const { dashboardExportRows: maxRows, dashboardExportTimeoutMs: limitMs } = config;
    // A client that goes away ends the statement that runs for it.
    const closed = new AbortController();
    const signal = AbortSignal.any([closed.signal, request.left, AbortSignal.timeout(limitMs)]);
    const place = takePlace(request.user.name);
    try {
      const texts = await started(csvOf(history.streamJobs(filter, signal), maxRows));
      function onClose(): void {
        closed.abort();
        place[Symbol.dispose]();
      }
      return streamOf(texts, { signal, onClose });
    } catch (error) {
      place[Symbol.dispose]();
      throw request.left.aborted ? CLIENT_LEFT : exportError(error, signal);
    }
  }
  return [
    {
      method: 'GET',
      path: '/projects/:project/history.csv',
      needs: READ_HISTORY,
      handle: async (request): Promise<SentFile> => ({
        kind: 'file',
        name: fileName(request),
        contentType: 'text/csv; charset=utf-8',
        body: await bodyOf(request),
      }),
    },
  ];
}
