import { expect } from 'chai';
import type { WebhookState, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { aFinishedJob } from '#test/support/builders/archived-jobs.ts';
import { createCountedHistory } from '#test/support/builders/counted-history.ts';
import { readRefused } from '#test/support/builders/refused-requests.ts';
import { aBucket, aProject, aToken } from '#test/support/servers/api-server.ts';
import {
  dashboardRoutes,
  MOST_VIEW_BYTES,
  pagePaths,
  viewBytes,
} from '#test/support/servers/dashboard-routes.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';
import { fillOnCallProject, ON_CALL_PARAMS } from '#test/support/worlds/on-call-project.ts';

/** Fills every row of every list. */
const MORE_JOBS = 150;
const MORE_OBJECTS = 150;
/** The most jobs of one form (dashboardBulkJobsMax). */
const JOBS_OF_A_FORM = 100;

const refused: WebhookState = {
  state: 'Exhausted',
  attempts: 3,
  log: [{ at: '2026-01-02T03:04:05Z', durationMs: 12_345, bytes: 1_204, attempt: 3, status: 503 }],
};
const failed: ZipJobStatus = {
  phase: 'Failed',
  reason: 'SourceUnavailable',
  failure: { code: 'SourceUnavailable', fileIndex: 3, httpStatus: 503, retriable: true },
  webhook: refused,
};

function numberOf(n: number): string {
  return String(n).padStart(5, '0');
}

function jobOf(n: number): ZipJob {
  return aFinishedJob(100 + n, { key: `exports/2026-01/customer-${numberOf(n)}/images.zip`, status: failed });
}

/** Lists that have more than one page can show. */
function fillLists(project: DashboardProject): void {
  const { server, objects } = project;
  for (let n = 1; n <= MORE_JOBS; n += 1) {
    server.zipJobs.put(jobOf(n));
    objects.put(COLLECTIONS.zipJobs, jobOf(n));
  }
  for (let n = 1; n <= MORE_OBJECTS; n += 1) {
    server.zipProjects.put(aProject(`customers-${numberOf(n)}`, { displayName: `Customers ${numberOf(n)}` }));
    project.putBucket(aBucket(TEAM, 's3', `exports-of-customer-${numberOf(n)}`));
    project.putToken(aToken(TEAM, `zj_${n}`, { name: `nightly-export-${numberOf(n)}` }));
  }
}

describe('the first view of every page', () => {
  let project: DashboardProject;
  let paths: readonly string[];
  before(async () => {
    const history = createCountedHistory();
    project = await startDashboardProject({}, { history, readRefused });
    fillOnCallProject(project);
    fillLists(project);
    paths = pagePaths(dashboardRoutes(project.server, history, readRefused), ON_CALL_PARAMS);
  });
  after(() => project[Symbol.asyncDispose]());
  async function get(path: string): Promise<string> {
    return (await project.ada.get(path)).text;
  }

  it('has no server error, for any user', async () => {
    const failed: string[] = [];
    for (const [who, visitor] of Object.entries({ ada: project.ada, viewer: project.viewer }))
      for (const path of paths) {
        const { status } = await visitor.get(path);
        if (status >= 500) failed.push(`${path} for ${who}: ${status}`);
      }
    expect(failed).to.deep.equal([]);
    expect(paths.length).to.be.greaterThan(20);
  });

  it('has no two elements with the same id, for any user', async () => {
    const repeated: string[] = [];
    for (const visitor of [project.ada, project.viewer])
      for (const path of paths) {
        const { text } = await visitor.get(path);
        const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
        repeated.push(...ids.filter((id, index) => ids.indexOf(id) < index).map((id) => `${path}: ${id}`));
      }
    expect(repeated).to.deep.equal([]);
  });

  it('is smaller than 100 KiB, uncompressed, with its style, scripts and icon', async () => {
    const large: string[] = [];
    for (const path of [...paths, `${HOME}/webhook?result=failed&event=FAILED`]) {
      const bytes = await viewBytes(await get(path), get);
      if (bytes > MOST_VIEW_BYTES) large.push(`${path}: ${bytes}`);
    }
    expect(large).to.deep.equal([]);
  });

  it('is smaller than 100 KiB also in the response to a form with as many jobs as it may have', async () => {
    const names = Array.from({ length: JOBS_OF_A_FORM }, (_, n) => jobOf(n + 1).metadata.name);
    const form = new URLSearchParams([
      ['form', '6f1c0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c'],
      ['query', '?state=Failed&reason=SourceUnavailable'],
      ...names.map((name): [string, string] => ['job', name]),
    ]);
    const sizes: string[] = [];
    for (const path of [
      'bulk/cancel',
      'bulk/run-again',
      'bulk/run-again/confirm',
      'bulk/cancel/confirm',
      'webhook/resend',
    ]) {
      const { status, text } = await project.send(`${HOME}/${path}`, form);
      expect(status, path).to.equal(200);
      expect(text.split('<tr').length - 2, path).to.equal(JOBS_OF_A_FORM);
      const bytes = await viewBytes(text, get);
      if (bytes > MOST_VIEW_BYTES) sizes.push(`${path}: ${bytes}`);
    }
    expect(sizes).to.deep.equal([]);
  });
});
