import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import type { History } from '#dashboard/history/history-reader.ts';
import { AppError } from '#runtime/errors.ts';
import { toHistoryJob } from '#runtime/history/archived-form.ts';
import { aFinishedJob } from '#test/support/builders/archived-jobs.ts';
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

  it('says that the history has no index for keys with * (Q-U5)', async () => {
    const started = await start(historyWith(unused));
    started.putProject({}, { metadata: { uid: 'project-uid' } });
    expect((await started.ada.get('/find?q=out/*')).text).to.contain(
      '<strong>The history was not searched</strong>: open a project to search its history for keys with *.',
    );
  });

  it('redirects to the only job with this start of its ID, key or pattern (Q-U5)', async () => {
    const started = await start();
    started.server.zipJobs.put(
      aZipJob({
        metadata: { namespace: TEAM, name: 'zip-06038b4e-0f0a-4f5e-9d53-0c9a3a0a1b2c' },
        spec: { key: 'orders/2026 ö.zip' },
      }),
    );
    started.server.zipJobs.put(
      aZipJob({
        metadata: { namespace: TEAM, name: 'by-hand', uid: '17138b4e-0f0a-4f5e-9d53-0c9a3a0a1b2c' },
        spec: { key: 'deadbeef' },
      }),
    );
    for (const [q, name] of [
      ['06038B', 'zip-06038b4e-0f0a-4f5e-9d53-0c9a3a0a1b2c'],
      ['06038b4e', 'zip-06038b4e-0f0a-4f5e-9d53-0c9a3a0a1b2c'],
      ['orders/2026 ö.zip', 'zip-06038b4e-0f0a-4f5e-9d53-0c9a3a0a1b2c'],
      ['orders/*', 'zip-06038b4e-0f0a-4f5e-9d53-0c9a3a0a1b2c'],
      ['17138b4e', 'by-hand'],
      ['deadbeef', 'by-hand'],
    ] as const)
      for (const parameter of ['q', 'id']) {
        const params = new URLSearchParams({ [parameter]: q });
        const { headers } = await started.viewer.get(`/find?${params.toString()}`);
        expect(headers.get('location'), q).to.equal(`/projects/${TEAM}/jobs/${name}`);
      }
    for (const q of ['06038', '6038b4e', 'rders/*', 'orders'])
      expect((await started.viewer.get(`/find?q=${q}`)).status, q).to.equal(404);
  });

  it('lists several jobs with one key, of the projects whose jobs the user may list only (Q-U5)', async () => {
    const started = await start();
    started.server.zipProjects.put(aProject('team-b', { displayName: 'Team B' }));
    for (const [namespace, name] of [
      [TEAM, 'one'],
      [TEAM, 'two'],
      ['team-b', 'three'],
    ] as const)
      started.server.zipJobs.put(
        aZipJob({ metadata: { namespace, name, uid: name }, spec: { key: 'daily.zip' } }),
      );
    const { status, text } = await started.ada.get('/find?q=daily.zip');
    expect(status).to.equal(200);
    expect(text).to.contain('3 jobs for <bdi>daily.zip</bdi>').and.contain('<bdi>Team B</bdi>');
    for (const path of [`${TEAM}/jobs/one`, `${TEAM}/jobs/two`, 'team-b/jobs/three'])
      expect(text).to.contain(`href="/projects/${path}"`);
    const seen = (await started.viewer.get('/find?q=daily.zip')).text;
    expect(seen).to.contain('2 jobs for').and.not.contain('Team B').and.not.contain('three');
    started.server.tokens.set('get-only', {
      name: 'gil',
      allowed: [`get zipprojects ${TEAM}`, `get zipjobs ${TEAM}`],
    });
    expect((await (await visitAs(started.server, 'get-only')).get('/find?q=daily.zip')).status).to.equal(404);
  });

  it('lists at most 50 jobs, and says that there may be more (Q-U5)', async () => {
    const started = await start();
    for (let n = 0; n < 60; n += 1)
      started.server.zipJobs.put(
        aZipJob({
          metadata: { namespace: TEAM, name: `job-${n}`, uid: `${n}` },
          spec: { key: `daily/${n}.zip` },
        }),
      );
    const { text } = await started.ada.get('/find?q=daily/*');
    expect(text).to.contain('First 50 jobs for').and.contain('There may be more.');
    expect(text.match(/class="row"/g)).to.have.lengthOf(50);
  });

  it('finds a whole key and the start of an ID in the histories, and a job of both places once (Q-U5)', async () => {
    const asked: unknown[] = [];
    const jobs = [1, 2].map((n) => aFinishedJob(n, { key: 'daily.zip' }));
    const ids = { projectUid: 'project-uid', clusterUid: 'cluster' };
    const started = await start({
      ...historyWith(unused),
      listJobs: async (filter) => {
        asked.push(filter);
        return { jobs: filter.key === undefined ? [] : jobs.map((job) => toHistoryJob(job, ids)) };
      },
    });
    started.putProject({}, { metadata: { uid: 'project-uid' } });
    started.server.zipJobs.put(jobs[0]!);
    expect((await started.viewer.get('/find?q=daily.zip')).text).to.contain(
      '2 jobs for <bdi>daily.zip</bdi>',
    );
    expect((await started.viewer.get('/find?q=0198b5a1')).status).to.equal(200);
    expect(asked).to.deep.equal([
      { projectUid: 'project-uid', key: 'daily.zip' },
      { projectUid: 'project-uid', idPrefix: '0198b5a1' },
      { projectUid: 'project-uid', key: '0198b5a1' },
    ]);
  });

  it('responds with 503, not 404, if the history could not be searched (UI47)', async () => {
    const away = new AppError('no response', { code: 'HistoryUnavailable', retryable: true });
    const started = await start(historyWith(() => Promise.reject(away)));
    started.putProject({}, { metadata: { uid: 'project-uid' } });
    const { status, text } = await started.ada.get(`/find?id=${UUID}`);
    expect(status).to.equal(503);
    expect(text).to.contain('the history database does not respond');
  });

  it('refuses nothing, what is no key, and more than eight stars, and finds no job for any other text', async () => {
    const started = await start();
    for (const id of ['', '%20', 'x'.repeat(1_025), 'a%00', '*a'.repeat(9)])
      expect((await started.ada.get(`/find?id=${id}`)).status, id).to.equal(422);
    for (const id of ['../secrets', 'a b', '%3Cscript%3E', '*a'.repeat(8)]) {
      const { status, text } = await started.ada.get(`/find?id=${id}`);
      expect(status, id).to.equal(404);
      expect(text).to.not.contain('<script>');
    }
  });
});
