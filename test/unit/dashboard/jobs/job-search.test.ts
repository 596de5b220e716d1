import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import type { History } from '#dashboard/history/history-reader.ts';
import { AppError } from '#runtime/errors.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { visitAs } from '#test/support/servers/dashboard-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const UUID = '00000000-0000-4000-8000-00000000000a';

function unused(): never {
  throw new Error('not used by the search');
}

function historyWith(readJob: History['readJob']): History {
  return {
    readJob,
    listJobs: unused,
    streamJobs: unused,
    statistics: unused,
    usageByDay: unused,
  };
}

interface Job {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
}

describe('GET /find', () => {
  let project: DashboardProject | undefined;
  afterEach(() => project?.[Symbol.asyncDispose]());
  async function start(history?: History): Promise<DashboardProject> {
    project = await startDashboardProject({}, { history });
    return project;
  }
  function putJob({ server }: DashboardProject, job: Job): void {
    server.zipJobs.put(aZipJob({ metadata: { namespace: TEAM, ...job } }));
  }

  it('redirects to a job by its ID, whatever its case, or by its name', async () => {
    const started = await start();
    putJob(started, { name: zipJobName(UUID) });
    for (const id of [UUID, ` ${UUID.toUpperCase()} `, zipJobName(UUID)]) {
      const { status, headers } = await started.viewer.get(`/find?id=${encodeURIComponent(id)}`);
      expect([status, headers.get('location')], id).to.deep.equal([
        303,
        `/projects/${TEAM}/jobs/${zipJobName(UUID)}`,
      ]);
    }
  });

  it('finds a job that the API did not create by its uid', async () => {
    const started = await start();
    putJob(started, { name: 'nightly', uid: UUID });
    const { headers } = await started.viewer.get(`/find?id=${UUID}`);
    expect(headers.get('location')).to.equal(`/projects/${TEAM}/jobs/nightly`);
  });

  it('reads only the jobs with this name or uid, not every job of the cluster', async () => {
    const started = await start();
    putJob(started, { name: zipJobName(UUID) });
    putJob(started, { namespace: 'team-b', name: 'other', uid: UUID.replace(/a$/, 'b') });
    const { reflector } = started.server.zipJobs;
    const read: string[] = [];
    const get = reflector.get.bind(reflector);
    reflector.values = unused;
    reflector.get = (key) => {
      read.push(key);
      return get(key);
    };
    expect((await started.ada.get(`/find?id=${UUID}`)).status).to.equal(303);
    expect((await started.ada.get(`/find?id=${UUID.replace(/a$/, 'c')}`)).status).to.equal(404);
    expect(read).to.have.members([
      `${TEAM}/${zipJobName(UUID)}`,
      `${TEAM}/${zipJobName(UUID.replace(/a$/, 'c'))}`,
    ]);
  });

  it('lists the projects when several have a job with this name', async () => {
    const started = await start();
    started.server.zipProjects.put(aProject('team-b', { displayName: 'Team B' }));
    putJob(started, { name: 'nightly' });
    putJob(started, { namespace: 'team-b', name: 'nightly' });
    const { status, text } = await started.ada.get('/find?id=nightly');
    expect(status).to.equal(200);
    expect(text).to.contain(`href="/projects/${TEAM}/jobs/nightly"`);
    expect(text).to.contain('href="/projects/team-b/jobs/nightly"');
    expect((await started.viewer.get('/find?id=nightly')).status).to.equal(303);
  });

  it('gives the same response for a job of a hidden project and for a missing one', async () => {
    const started = await start();
    started.server.zipProjects.put(aProject('team-b', { displayName: 'Team B' }));
    putJob(started, { namespace: 'team-b', name: 'secret-job' });
    const [hidden, missing] = [
      await started.viewer.get('/find?id=secret-job'),
      await started.viewer.get('/find?id=absent-job'),
    ];
    expect([hidden.status, missing.status]).to.deep.equal([404, 404]);
    expect(hidden.text).to.not.contain('Team B');
  });

  it('does not find a job that the user may not read', async () => {
    const started = await start();
    putJob(started, { name: 'nightly' });
    started.server.tokens.set('project-only', { name: 'paul', allowed: [`get zipprojects ${TEAM}`] });
    const paul = await visitAs(started.server, 'project-only');
    expect((await paul.get('/find?id=nightly')).status).to.equal(404);
  });

  it('searches the history with the uid of the project, read as the user', async () => {
    const asked: unknown[] = [];
    const started = await start(
      historyWith(async (id) => {
        asked.push(id);
        return aZipJob({ metadata: { name: zipJobName(UUID) } });
      }),
    );
    started.putProject({}, { metadata: { uid: 'project-uid' } });
    const { headers } = await started.viewer.get(`/find?id=${UUID}`);
    expect(headers.get('location')).to.equal(`/projects/${TEAM}/jobs/${UUID}`);
    expect(asked).to.deep.equal([{ projectUid: 'project-uid', id: UUID }]);
    const read = started.server.requests.findLast(({ path }) => path.startsWith(COLLECTIONS.projects));
    expect(read?.bearer).to.equal('view-token');
  });

  it('does not ask the history for a project whose jobs the user may not list', async () => {
    const started = await start(historyWith(unused));
    started.server.tokens.set('project-only', { name: 'paul', allowed: [`get zipprojects ${TEAM}`] });
    const paul = await visitAs(started.server, 'project-only');
    expect((await paul.get(`/find?id=${UUID}`)).status).to.equal(404);
  });

  it('says what was searched', async () => {
    const without = await start();
    const { text } = await without.ada.get(`/find?id=${UUID}`);
    expect(text)
      .to.contain('The cluster: 1 project')
      .and.contain(`There is no job <code>${UUID}</code> in the projects that you can see.`)
      .and.contain('<strong>The history was not searched</strong>: this installation has no history.');
    await without[Symbol.asyncDispose]();
    const withHistory = await start(historyWith(() => Promise.resolve(undefined)));
    withHistory.putProject({}, { metadata: { uid: 'project-uid' } });
    expect((await withHistory.ada.get(`/find?id=${UUID}`)).text).to.contain('The history: 1 project');
  });

  /** A project in the cache and, unless it was deleted meanwhile, at the API server. */
  function putOther({ server, objects }: DashboardProject, namespace: string, isDeleted = false): void {
    const plain = aProject(namespace);
    const other = { ...plain, metadata: { ...plain.metadata, uid: `uid-of-${namespace}` } };
    server.zipProjects.put(other);
    if (!isDeleted) objects.put(COLLECTIONS.projects.replace(TEAM, namespace), other);
  }

  it('searches the other projects when one was deleted meanwhile', async () => {
    const found = aZipJob({ metadata: { name: zipJobName(UUID) } });
    const started = await start(
      historyWith(async ({ projectUid }) => (projectUid === 'uid-of-team-c' ? found : undefined)),
    );
    putOther(started, 'team-b', true);
    started.putProject({}, { metadata: { uid: 'project-uid' } });
    expect((await started.ada.get(`/find?id=${UUID}`)).text)
      .to.contain('The cluster: 2 projects')
      .and.contain('The history: 1 project.');
    putOther(started, 'team-c');
    const { headers } = await started.ada.get(`/find?id=${UUID}`);
    expect(headers.get('location')).to.equal(`/projects/team-c/jobs/${UUID}`);
  });

  it('searches the histories of at most 100 projects, and says so', async () => {
    let searches = 0;
    const started = await start(
      historyWith(async () => {
        searches += 1;
        return undefined;
      }),
    );
    started.putProject({}, { metadata: { uid: 'project-uid' } });
    for (let n = 0; n < 102; n += 1) putOther(started, `other-${n}`);
    const { text } = await started.ada.get(`/find?id=${UUID}`);
    expect(searches).to.equal(100);
    expect(text)
      .to.contain('The history: 100 projects.')
      .and.contain('A search covers the histories of at most 100 projects, and 3 were left out:');
  });

  it('says that the history finds no names without an ID', async () => {
    const started = await start(historyWith(unused));
    started.putProject({}, { metadata: { uid: 'project-uid' } });
    expect((await started.ada.get('/find?id=nightly')).text).to.contain(
      '<strong>The history was not searched</strong>: it can be searched only by job ID.',
    );
  });

  it('responds with 503, not 404, if the history could not be searched (UI47)', async () => {
    const away = new AppError('no response', { code: 'HistoryUnavailable', retryable: true });
    const started = await start(historyWith(() => Promise.reject(away)));
    started.putProject({}, { metadata: { uid: 'project-uid' } });
    const { status, text } = await started.ada.get(`/find?id=${UUID}`);
    expect(status).to.equal(503);
    expect(text).to.contain('the history database does not respond');
  });

  it('refuses what cannot be the ID or name of a job', async () => {
    const started = await start();
    for (const id of ['', '../secrets', 'a b', '%3Cscript%3E'])
      expect((await started.ada.get(`/find?id=${id}`)).status, id).to.equal(422);
  });
});
