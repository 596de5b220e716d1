/** The installed controller stores finished ZipJobs in a real PostgreSQL. */
import { expect } from 'chai';
import { FINALIZER, zipJobName } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { adminApi, leadingPod } from '#test/support/processes/controller-pods.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import {
  type HistoryInstallation,
  startHistoryInstallation,
} from '#test/support/worlds/history-installation.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

const NAMESPACE = 'history-archiver';
const QUICK = '/gen/1000/1';
const SLOW = '/drip/10000/1000/600000/1';

interface Row {
  readonly uid: string;
  readonly reason: string;
  readonly counted: string;
}

describe('the archiver', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let installation: HistoryInstallation;
  let admin: KubeApi;
  let project: Project;
  let origin: FileOrigin;
  let baseUrl: string;

  before(async function () {
    await requirePostgres(this);
    installation = life.use(await startHistoryInstallation());
    await installation.applySecret();
    const settings = { ARCHIVE_RETRY_SECONDS: 1, ARCHIVE_BATCH_WAIT_MS: 1 };
    const { cluster } = installation;
    const chart = await installChart(cluster, {
      ...installation.values,
      controller: { replicas: 1, settings },
    });
    baseUrl = await chart.apiUrl();
    admin = life.use(await adminApi(cluster));
    origin = life.use(await startFileOrigin());
    project = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    await untilTokenKnown(baseUrl, project.token);
  });
  after(() => life.disposeAsync());

  const post = (key: string, path = QUICK): Promise<string> =>
    postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key: `${key}.zip`,
      urls: [{ url: origin.url(path), filename: 'a' }],
    });
  const rowsOf = async (uuids: readonly string[]): Promise<readonly Row[]> => {
    await using reader = await installation.openAs('reader');
    const { rows } = await reader.query<Row>(
      `SELECT uid, reason, (SELECT sum(u.jobs) FROM zipjobs.usage_hours AS u WHERE u.project_uid = j.project_uid) AS counted
        FROM zipjobs.jobs AS j WHERE id = ANY($1)`,
      [uuids],
    );
    return rows;
  };
  /** The controller also stores the finished jobs of other tests. */
  const allRows = async (): Promise<number> => {
    await using reader = await installation.openAs('reader');
    const { rowCount } = await reader.query('SELECT FROM zipjobs.jobs WHERE namespace = $1', [NAMESPACE]);
    return rowCount ?? 0;
  };
  const isArchived = ({ metadata, status }: ZipJob): boolean =>
    findCondition(status?.conditions, 'Archived')?.status === 'True' &&
    metadata.finalizers?.includes(FINALIZER) !== true;
  const untilArchived = (uuid: string): Promise<unknown> =>
    until(`${uuid} to be archived`, async () => isArchived(await project.zipJob(uuid)), { limitMs: 90_000 });

  it('stores a finished job once, then sets its condition and removes its finalizer', async () => {
    const uuid = await post('once');
    await untilArchived(uuid);
    const rows = await rowsOf([uuid]);
    expect(rows.map(({ reason }) => reason)).to.deep.equal(['Uploaded']);
    expect(Number(rows[0]?.counted)).to.equal(await allRows());
  });

  it('stores a job that is deleted while it runs, before it is gone', async () => {
    const uuid = await post('deleted', SLOW);
    await project.untilPhase(uuid, ['Running']);
    await installation.cluster.kubectl([
      'delete',
      'zipjob',
      '-n',
      NAMESPACE,
      zipJobName(uuid),
      '--timeout=120s',
    ]);
    expect((await rowsOf([uuid])).map(({ reason }) => reason)).to.deep.equal(['Deleted']);
  });

  it('keeps a finished job while the database is away, and stores it after its return (G8)', async () => {
    const before = await allRows();
    await installation.server.kill();
    const uuid = await post('away');
    await project.untilPhase(uuid, ['Succeeded']);
    await until(
      'the exit of the pod',
      async () => (await project.zipJob(uuid)).status?.job?.podUid === undefined,
    );
    const zipJob = await project.zipJob(uuid);
    expect(findCondition(zipJob.status?.conditions, 'Archived')).to.equal(undefined);
    expect(zipJob.metadata.finalizers).to.deep.equal([FINALIZER]);
    await installation.server.start();
    await untilArchived(uuid);
    expect(await allRows()).to.equal(before + 1);
  });

  it('stores a job that finished before the history was enabled, although it is deleted while the database is away', async () => {
    const { cluster, server } = installation;
    const before = await allRows();
    await server.kill();
    const uuid = await post('earlier');
    await project.untilPhase(uuid, ['Succeeded']);
    const target = ['zipjob', '-n', NAMESPACE, zipJobName(uuid)];
    // As such a job is.
    await cluster.kubectl(['patch', ...target, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await until('the controller to hold the job', async () => {
      const { finalizers } = (await project.zipJob(uuid)).metadata;
      return finalizers?.includes(FINALIZER) === true;
    });
    await cluster.kubectl(['delete', ...target, '--wait=false']);
    await server.start();
    await until('the row of the job', async () => (await rowsOf([uuid])).length === 1, { limitMs: 90_000 });
    expect(await allRows()).to.equal(before + 1);
  });

  it('has one row and one count of each job although the controller is killed while it stores them (G8)', async () => {
    const { cluster } = installation;
    const before = await allRows();
    const uuids: string[] = [];
    for (let n = 0; n < 6; n += 1) uuids.push(await post(`killed-${n}`));
    for (const wanted of [1, 3]) {
      await until('rows', async () => (await rowsOf(uuids)).length >= wanted, { limitMs: 90_000 });
      const { name } = await leadingPod(cluster, admin);
      await cluster.kubectl(['delete', 'pod', '-n', RELEASE_NAMESPACE, name, '--force', '--grace-period=0']);
    }
    for (const uuid of uuids) await untilArchived(uuid);
    expect(await rowsOf(uuids)).to.have.length(6);
    const [row] = await rowsOf(uuids);
    expect([await allRows(), Number(row?.counted)]).to.deep.equal([before + 6, before + 6]);
  });
});
