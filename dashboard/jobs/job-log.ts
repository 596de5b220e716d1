import { Readable } from 'node:stream';
import { AdministrationError, hasCode } from '#administration/errors/administration-error.ts';
import { type LogLine, toLogLines } from '#administration/jobs/log-lines.ts';
import { readJobLog } from '#administration/jobs/read-job-log.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { zipJobId } from '#crds/zip-job-facts.ts';
import type { PageRequest, SentFile } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import type { Question } from '../user/access.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { createSharedReads } from '../user/shared-reads.ts';

const SHOWN_LINES = 100;
const DOWNLOADED_LINES = 100_000;
const LOG_LIMIT_MS = 5_000;
/** All that reading a log does. */
export const READ_LOG: readonly Question[] = [
  { verb: 'list', resource: 'pods', group: '' },
  { verb: 'get', resource: 'pods', group: '', subresource: 'log' },
];

interface ReadLog {
  readonly lines: readonly string[];
  /** Why there are no lines. */
  readonly reason: string;
  /** Whether the user may not read it. */
  readonly isRefused?: true;
}

/** The last lines of a log, or why there are none. */
export interface ShownLog extends ReadLog {
  /** The lines as time, level and text; empty if the user asked for the raw ones. */
  readonly parsed: readonly LogLine[];
  readonly isRaw: boolean;
  /** `last` or `raw`, as in the query. */
  readonly kind: string;
}

async function readLog({ user }: PageRequest, job: ZipJob): Promise<ReadLog> {
  const signal = AbortSignal.timeout(LOG_LIMIT_MS);
  try {
    const { lines } = await readJobLog(user.sharedKube, job, { lines: SHOWN_LINES, signal });
    return { lines, reason: '' };
  } catch (error) {
    if (error instanceof AdministrationError && error.code !== 'Unauthorized')
      return { lines: [], reason: error.message };
    if (signal.aborted) return { lines: [], reason: 'The node of the pod did not respond in time.' };
    throw error;
  }
}

/** Two bytes per character. */
function bytesOf({ lines }: ReadLog): number {
  return lines.reduce((sum, line) => sum + 2 * line.length, 1_024);
}

function shown(log: ReadLog, { query }: PageRequest): ShownLog {
  const isRaw = query.get('log') === 'raw';
  return { ...log, isRaw, kind: isRaw ? 'raw' : 'last', parsed: isRaw ? [] : toLogLines(log.lines) };
}

const NOT_ALLOWED = 'The log of a job is that of its pod, which you are not allowed to read.';

/** Why the user cannot read logs of pods; empty if they can. Only for a link: reading checks again. */
export async function logObstacle(request: PageRequest): Promise<string> {
  const reason = await reasonAgainst(request, READ_LOG);
  return reason === '' ? '' : `${NOT_ALLOWED} ${reason}`;
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
    if (refused !== undefined)
      return shown({ lines: [], reason: `${NOT_ALLOWED} ${refused.reason}`, isRefused: true }, request);
    function read(): Promise<ReadLog> {
      return readLog(request, job);
    }
    try {
      return shown(await share(user.name, [namespace, job.metadata.name, uidOf(job)], read), request);
    } catch (error) {
      // The token of another session may have expired during its read, which must not end this session.
      if (!hasCode(error, 'Unauthorized')) throw error;
      return shown(await read(), request);
    }
  };
}

/** The redacted log as a file: up to 4 MiB of its end. @throws AdministrationError NotFound */
export async function downloadLog({ user, signal }: PageRequest, job: ZipJob): Promise<SentFile> {
  const { lines } = await readJobLog(user.kube, job, { lines: DOWNLOADED_LINES, signal });
  return {
    kind: 'file',
    name: `zipjobs-${zipJobId(job)}.log`,
    contentType: 'text/plain; charset=utf-8',
    body: Readable.from([`${lines.join('\n')}\n`]),
  };
}
