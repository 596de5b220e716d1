import { AdministrationError } from '#administration/errors/administration-error.ts';
import {
  type HistoryListQuery,
  type ListedHistoryJob,
  MAX_HISTORY_LIMIT,
} from '#administration/projects/history-interface.ts';
import { sizeText } from '#administration/projects/size-text.ts';
import type { Phase } from '#crds/zip-job.ts';
import { TERMINAL_PHASES } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { durationMs } from '../duration.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { idLengthOf, stateMark } from '../job-text.ts';
import type { Output } from '../output.ts';
import type { Session } from '../session.ts';
import { printable, toTable } from '../table.ts';
import { UsageError } from '../usage-error.ts';
import { atLeastOne } from '../whole-number.ts';
import type { HistoryClient } from './history-client.ts';

/** Fewer than the dashboard accepts from one address in a minute. */
const MAX_REQUESTS = 40;

interface HistoryFound {
  readonly jobs: readonly ListedHistoryJob[];
  /** More jobs may match. */
  readonly isCut: boolean;
  /** The search stopped at this time (RFC 3339) before it found enough jobs. */
  readonly searchedTo?: string;
  /** Why the rest was not read. */
  readonly failure?: AdministrationError;
}

function searched(searchedTo: string | undefined, jobs: readonly ListedHistoryJob[]) {
  return defined({ searchedTo: searchedTo ?? jobs.at(-1)?.finishedAt });
}

/** What was read is worth keeping: the next attempt may read no more. */
function failureAfter(pages: number, error: unknown): AdministrationError {
  if (pages > 0 && error instanceof AdministrationError) return error;
  throw error;
}

/** Reads page after page until there are enough jobs. */
async function readHistory(
  client: HistoryClient,
  project: string,
  { limit, ...query }: HistoryListQuery & { readonly limit: number },
): Promise<HistoryFound> {
  const jobs: ListedHistoryJob[] = [];
  let cursor: string | undefined;
  let searchedTo: string | undefined;
  for (let count = 0; count < MAX_REQUESTS; count += 1) {
    const wanted = Math.min(MAX_HISTORY_LIMIT, limit - jobs.length);
    const page = await client
      .list(project, { ...query, limit: wanted, cursor })
      .catch((error: unknown) => failureAfter(count, error));
    if (page instanceof AdministrationError)
      return { jobs, isCut: true, failure: page, ...searched(searchedTo, jobs) };
    jobs.push(...page.jobs.slice(0, wanted));
    ({ next: cursor, searchedTo } = page);
    if (cursor === undefined) return { jobs, isCut: false };
    if (jobs.length >= limit) return { jobs, isCut: true };
  }
  return { jobs, isCut: true, ...searched(searchedTo, jobs) };
}

const COLUMNS = ['ID', 'KEY', 'STATE', 'FILES', 'SIZE', 'FINISHED'];

function secondsText(ms: number | undefined): string | null {
  return ms === undefined ? null : `${Math.round(ms / 1000)}s`;
}

/** The columns of `job list` that the history knows, with the end instead of the age. */
function historyTable(
  jobs: readonly ListedHistoryJob[],
  { isWide, isDecorated }: { readonly isWide: boolean; readonly isDecorated: boolean },
): string {
  const idLength = idLengthOf(jobs);
  return toTable(
    [...COLUMNS, ...(isWide ? ['BUCKET', 'DURATION', 'TOKEN', 'WEBHOOK'] : [])],
    jobs.map((job) => [
      isWide ? job.id : job.id.slice(0, idLength),
      job.key,
      stateMark(job, isDecorated),
      job.files,
      job.phase === 'Succeeded' ? sizeText(job.bytes) : null,
      job.finishedAt,
      ...(isWide
        ? [
            `${job.service}/${job.bucketName}`,
            secondsText(job.durationMs),
            job.createdBy ?? null,
            job.webhookState ?? null,
          ]
        : []),
    ]),
  );
}

export interface ListHistoryArguments {
  readonly allProjects: boolean | undefined;
  readonly phases: readonly Phase[];
  readonly reasons: readonly string[];
  readonly tokenId: string | undefined;
  readonly bucket: string | undefined;
  readonly service: string;
  readonly key: string | undefined;
  readonly newerThan: string | undefined;
  readonly olderThan: string | undefined;
  readonly limit: number;
  readonly wide: boolean | undefined;
  readonly dashboard: string | undefined;
}

function timeBefore(now: Date, option: string, text: string): string {
  return new Date(now.getTime() - durationMs(option, text)).toISOString();
}

function checkSource({ allProjects = false, phases }: ListHistoryArguments): void {
  if (allProjects) throw new UsageError('--history lists one project. Use -n instead of --all-projects');
  const unfinished = phases.find((phase) => !TERMINAL_PHASES.some((one) => one === phase));
  if (unfinished !== undefined)
    throw new UsageError(
      `The history has finished jobs only. Use --phase with one or more of ${TERMINAL_PHASES.join(', ')}`,
    );
}

function queryOf(args: ListHistoryArguments, now: Date) {
  const { phases, reasons, bucket, service, key, tokenId, newerThan, olderThan } = args;
  checkSource(args);
  return {
    ...(phases.length > 0 && { phase: phases.join(',') }),
    ...(reasons.length > 0 && { reason: reasons.join(',') }),
    ...(bucket !== undefined && { bucket, service }),
    ...(key !== undefined && { key }),
    ...(tokenId !== undefined && { token: tokenId }),
    ...(newerThan !== undefined && { finishedAfter: timeBefore(now, 'newer-than', newerThan) }),
    ...(olderThan !== undefined && { finishedBefore: timeBefore(now, 'older-than', olderThan) }),
    limit: atLeastOne('limit', args.limit),
  };
}

function notesOf(found: HistoryFound, namespace: string): readonly string[] {
  const { jobs, isCut, searchedTo, failure } = found;
  if (failure) {
    const back = searchedTo === undefined ? '' : `, back to ${printable(searchedTo)}`;
    return [
      `${failure.message}. Only the newest ${jobs.length} jobs are listed${back}. Continue with --older-than, or try again`,
    ];
  }
  if (searchedTo !== undefined)
    return [`Searched back to ${printable(searchedTo)}. Continue with --older-than, or add a filter`];
  if (isCut)
    return [`Showing the newest ${jobs.length} jobs. Raise --limit or add a filter to see the others`];
  return jobs.length === 0 ? [`No matching jobs in the history of project "${namespace}"`] : [];
}

/** For `-o json`: null for unknown fields. */
const UNKNOWN = { startedAt: null, durationMs: null, createdBy: null, webhookState: null, runAgainOf: null };

/** Lists finished jobs from the history. */
export async function listHistory(args: ListHistoryArguments, session: Session): Promise<Output> {
  const query = queryOf(args, session.clock.date());
  const client = await session.openHistory(args.dashboard);
  const found = await readHistory(client, session.namespace, query);
  return {
    value: found.jobs.map((job) => ({ ...UNKNOWN, ...job })),
    text: historyTable(found.jobs, {
      isWide: args.wide === true,
      isDecorated: session.terminal.isDecorated,
    }),
    notes: notesOf(found, session.namespace),
    ...(found.failure && { exitCode: exitCodeOf(found.failure) }),
  };
}
