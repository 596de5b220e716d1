import type { BrowserContextOptions } from 'playwright-core';
import { rfc3339 } from '#crds/conditions.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aZipJob, NAMESPACE } from '../builders/objects.ts';
import { aProject } from '../servers/api-server.ts';
import { type DashboardServer, startDashboardServer, visitAs } from '../servers/dashboard-server.ts';
import { type OpenPage, openAs } from './dashboard-desk.ts';

export const JOBS = `/projects/${NAMESPACE}/jobs`;
/** Tokens of the users. */
export const [EDITOR, VIEWER] = ['eve-token', 'vera-token'] as const;

/** The dashboard in this process with jobs in memory, so that a test decides when each of them changes. */
export interface JobListWorld extends AsyncDisposable {
  readonly server: DashboardServer;
  /** Creates or changes job n; a higher one is newer. */
  put(n: number, status: ZipJobStatus): void;
  remove(n: number): void;
  open(token: string, options?: BrowserContextOptions): Promise<OpenPage>;
}

export function jobNameOf(n: number): string {
  return `zip-0b0e9e5e-0f0a-4f5e-9d53-${String(n).padStart(12, '0')}`;
}

export function keyOf(n: number): string {
  return `exports/orders-${n}.zip`;
}

export async function startJobListWorld(): Promise<JobListWorld> {
  const server = await startDashboardServer({ env: { dashboardSharedReadMs: 0 } });
  server.tokens.set(EDITOR, { name: 'eve', allowed: ['*'] });
  server.tokens.set(VIEWER, {
    name: 'vera',
    allowed: [`get zipprojects ${NAMESPACE}`, `list zipjobs ${NAMESPACE}`, `get zipjobs ${NAMESPACE}`],
  });
  server.zipProjects.put(aProject(NAMESPACE));
  const startMs = Date.now() - 3_600_000;
  const jobs = new Map<string, ZipJob>();
  function put(job: ZipJob): void {
    jobs.set(job.metadata.name, job);
    server.zipJobs.put(job);
  }
  server.respondWith(({ method, path, body }) => {
    if (method === 'POST') {
      put(body as ZipJob);
      return body;
    }
    const job = jobs.get(path.split('/').at(-1) ?? '');
    if (job === undefined)
      throw new KubeError('not found', { attempt: path, code: 'NotFound', httpStatus: 404 });
    if (method === 'PATCH') put({ ...job, status: { phase: 'Cancelled', reason: 'Cancelled' } });
    return job;
  });
  return {
    server,
    put: (n, status) =>
      put(
        aZipJob({
          metadata: { name: jobNameOf(n), creationTimestamp: rfc3339(new Date(startMs + n * 1_000)) },
          spec: { key: keyOf(n) },
          status,
        }),
      ),
    remove: (n) => {
      jobs.delete(jobNameOf(n));
      server.zipJobs.remove(NAMESPACE, jobNameOf(n));
    },
    open: async (token, options) => openAs(await visitAs(server, token), options),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
