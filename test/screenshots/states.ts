/** Projects in states that a cluster reaches only slowly or by accident. The API server is in memory. */
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aFinishedJob, idOf } from '#test/support/builders/archived-jobs.ts';
import { readRefused } from '#test/support/builders/refused-requests.ts';
import { ADA } from '#test/support/servers/dashboard-server.ts';
import { type OpenPage, openPage } from '#test/support/worlds/dashboard-desk.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
  VIEW,
} from '#test/support/worlds/dashboard-project.ts';
import { fillOnCallProject, ON_CALL_JOBS } from '#test/support/worlds/on-call-project.ts';
import { press, type Shot } from './shot.ts';

const MANY = 10_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `view`: the project of `night`, for a user who can only view. `away`: the API server cannot list buckets. */
export type State = 'empty' | 'one' | 'many' | 'night' | 'view' | 'away';

/** Finished jobs, evenly over the last day. */
function putJobs({ server }: DashboardProject, count: number): void {
  const now = Date.now();
  for (let n = 1; n <= count; n += 1) {
    const ended = now - HOUR_MS / 2 - (n / count) * (DAY_MS - HOUR_MS);
    const finishedAt = `${new Date(ended).toISOString().slice(0, 19)}Z`;
    server.zipJobs.put(aFinishedJob(n, { finishedAt, key: `orders/2026/${48_000 + n}.zip` }));
  }
}

const FILL: Readonly<Record<State, (project: DashboardProject) => void>> = {
  empty: () => undefined,
  one: (project) => putJobs(project, 1),
  many: (project) => putJobs(project, MANY),
  night: fillOnCallProject,
  view: fillOnCallProject,
  away: ({ objects }) =>
    objects.fail(
      new KubeError('connect ECONNREFUSED 10.0.0.1:443', { attempt: 'list zipbuckets', code: 'Unreachable' }),
      ({ path }) => path.endsWith('/zipbuckets'),
    ),
};

/** Opens a page in each state; they close with the stack. */
export async function openStates(life: AsyncDisposableStack): Promise<Readonly<Record<State, OpenPage>>> {
  async function open(state: State): Promise<OpenPage> {
    const project = life.use(await startDashboardProject({}, { readRefused }));
    FILL[state](project);
    const opened = life.use(await openPage(project.server.url));
    await opened.signIn(state === 'view' ? VIEW : ADA);
    return opened;
  }
  return {
    empty: await open('empty'),
    one: await open('one'),
    many: await open('many'),
    night: await open('night'),
    view: await open('view'),
    away: await open('away'),
  };
}

/** A page of the project in a state. */
export function stateShot<Of extends string>(
  who: Of,
  name: string,
  [title, path, act]: readonly [title: string, path: string, act?: Shot['act']],
): Shot<Of> {
  return {
    who,
    name: `${who}-${name}`,
    title,
    path: HOME + path,
    ...(act !== undefined && { act }),
  };
}

const shot = stateShot<State>;

function jobPath(n: number): string {
  return `/jobs/zip-${idOf(n)}`;
}

const ENDPOINT = '/webhook/endpoints/audit';

export const stateShots: readonly Shot<State>[] = [
  shot('empty', 'overview', ['Overview of a new project', '']),
  shot('empty', 'jobs', ['Jobs of a new project', '/jobs']),
  shot('empty', 'buckets', ['Buckets of a new project', '/buckets']),
  shot('empty', 'webhook', ['Webhook of a new project', '/webhook']),
  shot('one', 'overview', ['Overview with one job', '']),
  shot('one', 'jobs', ['One job', '/jobs']),
  shot('many', 'overview', ['Overview with 10,000 jobs', '']),
  shot('many', 'jobs', ['10,000 jobs', '/jobs']),
  shot('night', 'overview', ['Overview after a bad night', '']),
  shot('night', 'jobs', ['Jobs after a bad night', '/jobs']),
  shot('night', 'source', ['A job whose source was down, and its rerun', jobPath(ON_CALL_JOBS.brokenSource)]),
  shot('night', 'files', ['A job with missing files', jobPath(ON_CALL_JOBS.missingFiles)]),
  shot('night', 'webhook', ['Webhook with failed deliveries', '/webhook']),
  shot('night', 'endpoint', ['An endpoint other than the default one', ENDPOINT]),
  shot('night', 'endpoint-rotate', ['Rotating its signing secret', `${ENDPOINT}/rotate-secret`]),
  shot('night', 'endpoint-remove', ['Removing it', `${ENDPOINT}/remove`]),
  shot('night', 'deliveries', ['Deliveries with failed ones', '/webhook/deliveries']),
  shot('night', 'delivery', [
    'A failed delivery',
    `/webhook/deliveries/zip-${idOf(ON_CALL_JOBS.brokenSource)}`,
  ]),
  shot('night', 'verify', ['Verifying signatures', '/webhook/verify']),
  shot('night', 'refused-requests', ['Refused requests', '/refused-requests']),
  shot('night', 'resend', ['Resending failed deliveries', '/webhook/resend']),
  shot('night', 'resent', [
    'Failed deliveries, requested again',
    '/webhook/resend',
    press('Resend 1 delivery'),
  ]),
  shot('view', 'overview', ['Overview for a user who can only view', '']),
  shot('view', 'jobs', ['Jobs for a user who can only view', '/jobs']),
  shot('away', 'buckets', ['A cluster that does not respond', '/buckets']),
];
