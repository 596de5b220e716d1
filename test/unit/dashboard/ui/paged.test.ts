import { expect } from 'chai';
import { aBucket, aProject, aToken } from '#test/support/servers/api-server.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const OTHERS = 119;

describe('the lists of projects, buckets and access tokens', () => {
  let project: DashboardProject;
  before(async () => {
    project = await startDashboardProject();
    for (let n = 0; n < OTHERS; n += 1) {
      const name = `one-${String(n).padStart(3, '0')}`;
      project.server.zipProjects.put(aProject(name));
      project.putBucket(aBucket(TEAM, 's3', name));
      project.putToken(aToken(TEAM, `zj_${n}`, { name }));
    }
    project.putBucket(aBucket(TEAM, 's3', 'last'));
    project.putToken(aToken(TEAM, 'zj_last', { name: 'last' }));
  });
  after(() => project[Symbol.asyncDispose]());

  function rowsOf(html: string): readonly string[] {
    return [...html.matchAll(/<th scope="row">(.*?)<\/th>/gs)].map(([, cell = '']) => cell);
  }

  it('have pages of 50, which together have every row once', async () => {
    for (const path of ['/projects', `${HOME}/buckets`, `${HOME}/tokens`]) {
      const pages: (readonly string[])[] = [];
      for (const page of [1, 2, 3]) pages.push(rowsOf((await project.ada.get(`${path}?page=${page}`)).text));
      expect(
        pages.map(({ length }) => length),
        path,
      ).to.deep.equal([50, 50, 20]);
      expect(new Set(pages.flat()).size, path).to.equal(120);
      const { text } = await project.ada.get(path);
      expect(text, path).to.contain('Page 1 of 3').and.contain(`href="${path}?page=2"`);
    }
  });

  it('show the last page instead of one that does not exist, and the first for anything else', async () => {
    async function at(page: string): Promise<string> {
      return (await project.ada.get(`${HOME}/tokens?page=${page}`)).text;
    }
    expect(await at('9')).to.contain('Page 3 of 3');
    for (const page of ['0', '-1', 'x', '1.5']) expect(await at(page), page).to.contain('Page 1 of 3');
  });

  it('keep the filter of the projects', async () => {
    const { text } = await project.ada.get('/projects?q=ONE&page=2');
    expect(text).to.contain('href="/projects?q=ONE&amp;page=3"').and.contain('Page 2 of 3');
  });
});
