/** Jobs of an installation with a history: recorded by the controller, and read by the API after their ZipJob is gone. */
import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import {
  type HistoryInstallation,
  startHistoryInstallation,
} from '#test/support/worlds/history-installation.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';

const NAMESPACE = 'history-jobs';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('the jobs of an installation with a history', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let installation: HistoryInstallation;
  let baseUrl: string;
  let project: Project;
  let source: string;

  before(async function () {
    await requirePostgres(this);
    installation = life.use(await startHistoryInstallation());
    const { cluster } = installation;
    await installation.applySecret();
    baseUrl = await (await installChart(cluster, installation.values)).apiUrl();
    source = life.use(await startFileOrigin()).origin;
    project = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    await untilTokenKnown(baseUrl, project.token);
  });
  after(() => life.disposeAsync());

  const get = (uuid: string) =>
    askApi(baseUrl, { path: `/v1/zips/${uuid}?expand=archive,job`, token: project.token });

  const podNames = async (): Promise<string> => {
    const args = ['get', 'pods', '-n', RELEASE_NAMESPACE, '-o', 'jsonpath={.items[*].metadata.uid}'];
    return (await installation.cluster.kubectl(args)).stdout;
  };

  it('are recorded when they finish, and read by their ID after their ZipJob was deleted (G8)', async () => {
    const uuid = await postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key: 'recorded.zip',
      metadata: { order: 42 },
      urls: [{ url: `${source}/gen/100000/1`, filename: 'a.bin' }],
    });
    await project.untilPhase(uuid, ['Succeeded']);
    await until('the condition Archived', async () => {
      const { status } = await project.zipJob(uuid);
      return findCondition(status?.conditions, 'Archived')?.status === 'True';
    });
    await using reader = await installation.openAs('reader');
    const { rows } = await reader.query(
      'SELECT namespace, key, phase, bytes FROM zipjobs.jobs WHERE id = $1',
      [uuid],
    );
    expect(rows).to.have.length(1);
    expect(rows[0]).to.include({ namespace: NAMESPACE, key: 'recorded.zip', phase: 'Succeeded' });
    const stored = await get(uuid);
    expect(stored.status).to.equal(200);

    const name = zipJobName(uuid);
    await installation.cluster.kubectl(['delete', 'zipjob', name, '-n', NAMESPACE, '--wait=false']);
    await until('the ZipJob to be gone', async () => {
      const during = await get(uuid);
      expect(during.status, 'while the ZipJob is deleted').to.equal(200);
      const args = ['get', 'zipjob', name, '-n', NAMESPACE, '--ignore-not-found', '-o', 'name'];
      return (await installation.cluster.kubectl(args)).stdout === '';
    });
    // The cache of the API follows a moment later.
    for (const _ of [1, 2, 3]) expect((await get(uuid)).text).to.equal(stored.text);
    expect((await get(UNKNOWN)).status).to.equal(404);
  });

  it('are read with a new password without a restart, and 503 is the response until it arrives (G8)', async () => {
    const before = await podNames();
    expect((await get(UNKNOWN)).status).to.equal(404);
    const administrator = await installation.openAs('administrator');
    try {
      await administrator.query(`ALTER ROLE zipjobs_reader PASSWORD 'N3w-5ecret'`);
      await administrator.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'zipjobs_reader'`,
      );
      await until(
        'the API to report that the history is away',
        async () => (await get(UNKNOWN)).status === 503,
      );
      await installation.applySecret({ reader: 'N3w-5ecret' });
      await until('the API to use the new password', async () => (await get(UNKNOWN)).status === 404, {
        intervalMs: 250,
      });
      expect(await podNames()).to.equal(before);
    } finally {
      await administrator.end();
    }
  });
});
