/** Reads of jobs in an installation with a history. */
import { expect } from 'chai';
import { askApi } from '#test/support/clients/api-client.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
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

  before(async function () {
    await requirePostgres(this);
    installation = life.use(await startHistoryInstallation());
    const { cluster } = installation;
    await installation.applySecret();
    baseUrl = await (await installChart(cluster, installation.values)).apiUrl();
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
