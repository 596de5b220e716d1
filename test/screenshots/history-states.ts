/** Projects with a history, in a real PostgreSQL. The API server is in memory. */
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { uuidOfName } from '#crds/zip-job-facts.ts';
import { ADA } from '#test/support/servers/dashboard-server.ts';
import { type PostgresServer, startPostgres } from '#test/support/servers/postgres-server.ts';
import { type OpenPage, openPage } from '#test/support/worlds/dashboard-desk.ts';
import { type DashboardHistory, startDashboardHistory } from '#test/support/worlds/dashboard-history.ts';
import { TEAM, VIEW } from '#test/support/worlds/dashboard-project.ts';
import { fillOnCallProject } from '#test/support/worlds/on-call-project.ts';
import { drawn, pastJob } from './past-jobs.ts';
import { stateShot } from './states.ts';

const JOBS = 1_200;
const WITHIN_MS = 40 * 86_400_000;
const TOKENS = ['order service', 'nightly export'] as const;
/** A failed job of the history. */
const FAILED = 4;
const SUCCEEDED = 5;

/** `read`: for a user who can only view. `fresh`: without finished jobs. `lost`: the database does not respond. */
export type HistoryState = 'past' | 'read' | 'fresh' | 'lost';

function archivedJob(index: number, now: Date): ZipJob {
  const place = { namespace: TEAM, bucketName: drawn(index, 'bucket') < 0.8 ? 'exports' : 'press-kit' };
  const job = pastJob(place, index, { now, withinMs: WITHIN_MS });
  const createdBy = TOKENS[index % TOKENS.length] ?? '';
  const { acceptedAt = '' } = job.status ?? {};
  return {
    ...job,
    metadata: {
      ...job.metadata,
      uid: uuidOfName(job.metadata.name) ?? '',
      creationTimestamp: acceptedAt,
      annotations: { [ANNOTATIONS.createdBy]: createdBy, [ANNOTATIONS.acceptedAt]: acceptedAt },
    },
  };
}

/** Nothing listens at this port. */
function unreachable(postgres: PostgresServer): PostgresServer {
  return {
    ...postgres,
    connect: (role, change) => postgres.connect(role, { ...change, HISTORY_PORT: '1' }),
  };
}

async function openAs(
  life: AsyncDisposableStack,
  { server }: DashboardHistory,
  token: string,
): Promise<OpenPage> {
  const opened = life.use(await openPage(server.url));
  await opened.signIn(token);
  return opened;
}

/** Opens a page in each state; they close with the stack. */
export async function openHistoryStates(
  life: AsyncDisposableStack,
): Promise<Readonly<Record<HistoryState, OpenPage>>> {
  const postgres = life.use(await startPostgres());
  const now = new Date();
  async function start(of: PostgresServer): Promise<DashboardHistory> {
    return life.use(await startDashboardHistory(of));
  }
  const past = await start(postgres);
  fillOnCallProject(past);
  await past.archive(...Array.from({ length: JOBS }, (_, index) => archivedJob(index, now)));
  const fresh = await start(postgres);
  fresh.recreateProject();
  const lost = await start(unreachable(postgres));
  fillOnCallProject(lost);
  return {
    past: await openAs(life, past, ADA),
    read: await openAs(life, past, VIEW),
    fresh: await openAs(life, fresh, ADA),
    lost: await openAs(life, lost, ADA),
  };
}

const shot = stateShot<HistoryState>;

function jobPath(index: number): string {
  return `/jobs/${archivedJob(index, new Date()).metadata.name}`;
}

export const historyShots = [
  shot('past', 'overview', ['Overview of a project with a history', '']),
  shot('past', 'overview-7d', ['Overview of 7 days', '?period=7d']),
  shot('past', 'overview-30d', ['Overview of 30 days', '?period=30d']),
  shot('past', 'jobs', ['Jobs, with a link to the history', '/jobs?state=Failed']),
  shot('past', 'history', ['History', '/history']),
  shot('past', 'history-found', ['History with filters', '/history?state=Failed&bucket=exports&q=orders/*']),
  shot('past', 'history-none', ['History without a match', '/history?q=nothing.zip']),
  shot('past', 'history-invalid', ['History with an invalid filter', '/history?from=soon']),
  shot('past', 'usage', ['Usage per day', '/usage']),
  shot('past', 'usage-365', ['Usage of a year', '/usage?days=365']),
  shot('past', 'job', ['A job from the history', jobPath(SUCCEEDED)]),
  shot('past', 'job-failed', ['A failed job from the history', jobPath(FAILED)]),
  shot('past', 'purge', ['Deleting the history', '/settings/purge-history']),
  shot('read', 'history', ['History for a user who can only view', '/history']),
  shot('fresh', 'overview', ['Overview with an empty history', '?period=7d']),
  shot('fresh', 'history', ['An empty history', '/history']),
  shot('fresh', 'usage', ['Usage without jobs', '/usage']),
  shot('lost', 'overview', ['Overview while the history does not respond', '']),
  shot('lost', 'overview-7d', ['Overview of 7 days while the history does not respond', '?period=7d']),
  shot('lost', 'history', ['A history that does not respond', '/history']),
  shot('lost', 'usage', ['Usage while the history does not respond', '/usage']),
  shot('lost', 'job', ['A job of a history that does not respond', jobPath(FAILED)]),
];
