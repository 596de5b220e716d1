import { AdministrationError, hasCode } from '#administration/errors/administration-error.ts';
import { readJobLog } from '#administration/jobs/read-job-log.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { PageRequest } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import type { Question } from '../user/access.ts';
import { createSharedReads } from '../user/shared-reads.ts';

const LOG_LINES = 60;
const LOG_LIMIT_MS = 5_000;
/** All that reading a log does. */
const READ_LOG: readonly Question[] = [
  { verb: 'list', resource: 'pods', group: '' },
  { verb: 'get', resource: 'pods', group: '', subresource: 'log' },
];

interface ShownLog {
  readonly lines: readonly string[];
  /** Why there are no lines. */
  readonly reason: string;
}

async function readLog({ user }: PageRequest, job: ZipJob): Promise<ShownLog> {
  const signal = AbortSignal.timeout(LOG_LIMIT_MS);
  try {
    const { lines } = await readJobLog(user.sharedKube, job, { lines: LOG_LINES, signal });
    return { lines, reason: '' };
  } catch (error) {
    if (error instanceof AdministrationError && error.code !== 'Unauthorized')
      return { lines: [], reason: error.message };
    if (signal.aborted) return { lines: [], reason: 'The node of the pod did not respond in time.' };
    throw error;
  }
}

/** Two bytes per character. */
function bytesOf({ lines }: ShownLog): number {
  return lines.reduce((sum, line) => sum + 2 * line.length, 1_024);
}

/** Reads the last lines of the pod's log, if the query asks for them. */
export function createLogOf({ config, clock, metrics }: Pick<PageDeps, 'config' | 'clock' | 'metrics'>) {
  const share = createSharedReads({
    clock,
    ageMs: config.dashboardSharedReadMs,
    maxBytes: config.dashboardSharedReadBytes,
    bytesOf,
    onShared: () => metrics.sharedReads.inc({ kind: 'log' }),
  });
  return async (request: PageRequest, job: ZipJob): Promise<ShownLog | undefined> => {
    const { user, namespace, query } = request;
    if (!query.has('log')) return undefined;
    const verdicts = await Promise.all(READ_LOG.map((question) => user.may(namespace, question)));
    const refused = verdicts.find(({ allowed }) => !allowed);
    if (refused !== undefined) return { lines: [], reason: refused.reason };
    function read(): Promise<ShownLog> {
      return readLog(request, job);
    }
    try {
      return await share(user.name, [namespace, job.metadata.name, uidOf(job)], read);
    } catch (error) {
      // The token of another session may have expired during its read, which must not end this session.
      if (!hasCode(error, 'Unauthorized')) throw error;
      return read();
    }
  };
}
