/** The page of one job: its ZipJob, file list and log are in memory, so that a test decides when each of them changes. */
import { gzipSync } from 'node:zlib';
import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import type { FileEntry, ZipJob } from '#crds/zip-job.ts';
import { FILE_LIST_SECRET_KEY } from '#crds/zipper-contract.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aZipBucket, NAME, NAMESPACE } from '../builders/objects.ts';
import { aProject } from '../servers/api-server.ts';
import {
  type DashboardServer,
  startDashboardServer,
  type Visitor,
  visitAs,
} from '../servers/dashboard-server.ts';

export const JOB_PAGE = `/projects/${NAMESPACE}/jobs/${NAME}`;
/** Tokens of a user with all permissions, and of one who can only view jobs. */
export const [EDITOR, VIEWER] = ['eve-token', 'vera-token'] as const;

const POD = {
  metadata: { namespace: NAMESPACE, name: 'the-pod', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { containers: [{ name: ZIPPER_CONTAINER }] },
};

export interface JobPageWorld extends AsyncDisposable {
  readonly server: DashboardServer;
  /** Creates or changes the job. */
  put(job: ZipJob): void;
  /** Files of its stored list. */
  list(files: readonly FileEntry[]): void;
  /** Lines of the log, as JSON unless they are texts. */
  log(...lines: readonly (object | string)[]): void;
  visit(token: string): Promise<Visitor>;
}

export async function startJobPageWorld(): Promise<JobPageWorld> {
  const server = await startDashboardServer({ env: { dashboardSharedReadMs: 0 } });
  server.tokens.set(EDITOR, { name: 'eve', allowed: ['*'] });
  server.tokens.set(VIEWER, {
    name: 'vera',
    allowed: ['get zipprojects', 'list zipjobs', 'get zipjobs'].map((right) => `${right} ${NAMESPACE}`),
  });
  server.zipProjects.put(aProject(NAMESPACE));
  const jobs = new Map<string, ZipJob>();
  let log = '';
  let packed = '';
  server.respondWith(({ path }) => {
    if (path.endsWith('/pods')) return { metadata: { resourceVersion: '1' }, items: [POD] };
    if (path.endsWith('/log')) return log;
    if (path.includes('/zipbuckets/')) return aZipBucket();
    if (path.includes('/secrets/'))
      return {
        metadata: { namespace: NAMESPACE, name: path.split('/').at(-1) },
        data: { [FILE_LIST_SECRET_KEY]: packed },
      };
    const job = jobs.get(path.split('/').at(-1) ?? '');
    if (job === undefined)
      throw new KubeError('not found', { attempt: path, code: 'NotFound', httpStatus: 404 });
    return job;
  });
  return {
    server,
    put: (job) => {
      jobs.set(job.metadata.name, job);
      server.zipJobs.put(job);
    },
    list: (files) => {
      packed = gzipSync(files.map((file) => `${JSON.stringify(file)}\n`).join('')).toString('base64');
    },
    log: (...lines) => {
      log = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    },
    visit: (token) => visitAs(server, token),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
