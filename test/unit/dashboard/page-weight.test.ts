import { expect } from 'chai';
import { aFinishedJob } from '#test/support/builders/archived-jobs.ts';
import {
  dashboardRoutes,
  MOST_VIEW_BYTES,
  pagePaths,
  viewBytes,
} from '#test/support/servers/dashboard-routes.ts';
import { type DashboardProject, startDashboardProject } from '#test/support/worlds/dashboard-project.ts';
import { fillOnCallProject, ON_CALL_PARAMS } from '#test/support/worlds/on-call-project.ts';

/** Fills every row of the first page of jobs. */
const MORE_JOBS = 100;

describe('the first view of every page', () => {
  let project: DashboardProject;
  let paths: readonly string[];
  before(async () => {
    project = await startDashboardProject();
    fillOnCallProject(project);
    for (let n = 1; n <= MORE_JOBS; n += 1) project.server.zipJobs.put(aFinishedJob(100 + n));
    paths = pagePaths(dashboardRoutes(project.server), ON_CALL_PARAMS);
  });
  after(() => project[Symbol.asyncDispose]());

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
    const get = async (path: string): Promise<string> => (await project.ada.get(path)).text;
    const large: string[] = [];
    for (const path of paths) {
      const bytes = await viewBytes(path, get);
      if (bytes > MOST_VIEW_BYTES) large.push(`${path}: ${bytes}`);
    }
    expect(large).to.deep.equal([]);
  });
});
