/** The installed chart with a real PostgreSQL: finished jobs are recorded, read after their ZipJob is gone, and purged. */

import { expect } from 'chai';
import { ANNOTATIONS, FINALIZER, PROJECT_NAME, zipJobName } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import { createCommandLine } from '#test/support/processes/command-line.ts';
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

const NAMESPACE = 'history-jobs';
const PURGED = 'history-purged';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const QUICK = '/gen/1000/1';
const SLOW = '/drip/10000/1000/600000/1';
/** A killed leader is replaced soon. */
const SETTINGS = { ARCHIVE_RETRY_SECONDS: 1, ARCHIVE_BATCH_WAIT_MS: 1, LEASE_DURATION_MS: 3000 };

interface Row {
  readonly id: string;
  readonly key: string;
  readonly phase: string;
  readonly reason: string;
  readonly counted: string;
}

describe('the jobs of an installation with a history', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let installation: HistoryInstallation;
  let baseUrl: string;
  let origin: FileOrigin;
  let project: Project;
  let purged: Project;

  async function open(namespace: string): Promise<Project> {
    const opened = life.use(await createProject(installation.cluster, { namespace }));
    life.defer(async () => {
      await installation.cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    });
    await untilTokenKnown(baseUrl, opened.token);
    return opened;
  }

  before(async function () {
    await requirePostgres(this);
    installation = life.use(await startHistoryInstallation());
    await installation.applySecret();
    const chart = await installChart(installation.cluster, {
      ...installation.values,
      dashboard: { enabled: true, replicas: 0 },
      controller: { replicas: 1, podTemplate: unsupportedPod('controller', SETTINGS) },
    });
    baseUrl = await chart.apiUrl();
    origin = life.use(await startFileOrigin());
    [project, purged] = await Promise.all([open(NAMESPACE), open(PURGED)]);
  });
  after(() => life.disposeAsync());

  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await installation.cluster.kubectl(args)).stdout;
  }
  function post(key: string, { path = QUICK, into = project } = {}): Promise<string> {
    return postJob(baseUrl, into.token, {
      bucket_name: into.bucketName,
      key: `${key}.zip`,
      metadata: { order: 42 },
      urls: [{ url: origin.url(path), filename: 'a' }],
    });
  }
  function get(uuid: string) {
    return askApi(baseUrl, { path: `/v1/zips/${uuid}?expand=archive,job`, token: project.token });
  }
  /** The controller also stores the finished jobs of other tests. */
  async function rowsIn(namespace = NAMESPACE): Promise<readonly Row[]> {
    await using reader = await installation.openAs('reader');
    const { rows } = await reader.query<Row>(
      `SELECT id, key, phase, reason, (SELECT sum(u.jobs) FROM zipjobs.usage_hours AS u WHERE u.project_uid = j.project_uid) AS counted
        FROM zipjobs.jobs AS j WHERE namespace = $1 ORDER BY finished_at`,
      [namespace],
    );
    return rows;
  }
  async function rowsOf(uuids: readonly string[]): Promise<readonly Row[]> {
    return (await rowsIn()).filter(({ id }) => uuids.includes(id));
  }
  function isArchived({ metadata, status }: ZipJob): boolean {
    return (
      findCondition(status?.conditions, 'Archived')?.status === 'True' &&
      metadata.finalizers?.includes(FINALIZER) !== true
    );
  }
  function untilArchived(uuid: string, of = project): Promise<unknown> {
    return until(`${uuid} to be archived`, async () => isArchived(await of.zipJob(uuid)), {
      limitMs: 90_000,
    });
  }
  async function archive(key: string, into = project): Promise<string> {
    const uuid = await post(key, { into });
    await untilArchived(uuid, into);
    return uuid;
  }

  it('are stored once when they finish, then get their condition and lose their finalizer', async () => {
    const uuid = await archive('once');
    const [row, ...others] = await rowsOf([uuid]);
    expect(row).to.include({ key: 'once.zip', phase: 'Succeeded', reason: 'Uploaded' });
    expect(others).to.deep.equal([]);
    expect(Number(row?.counted)).to.equal((await rowsIn()).length);
  });

  it('are read by their ID after their ZipJob was deleted (G8)', async () => {
    const uuid = await archive('recorded');
    const stored = await get(uuid);
    expect(stored.status).to.equal(200);
    const name = zipJobName(uuid);
    await kubectl('delete', 'zipjob', name, '-n', NAMESPACE, '--wait=false');
    await until('the ZipJob to be gone', async () => {
      const during = await get(uuid);
      expect(during.status, 'while the ZipJob is deleted').to.equal(200);
      return (
        (await kubectl('get', 'zipjob', name, '-n', NAMESPACE, '--ignore-not-found', '-o', 'name')) === ''
      );
    });
    // The cache of the API follows a moment later.
    for (const _ of [1, 2, 3]) expect((await get(uuid)).text).to.equal(stored.text);
    expect((await get(UNKNOWN)).status).to.equal(404);
  });

  it('are stored before they are gone if they are deleted while they run', async () => {
    const uuid = await post('deleted', { path: SLOW });
    await project.untilPhase(uuid, ['Running']);
    await kubectl('delete', 'zipjob', '-n', NAMESPACE, zipJobName(uuid), '--timeout=120s');
    expect((await rowsOf([uuid])).map(({ reason }) => reason)).to.deep.equal(['Deleted']);
  });

  it('are kept while the database is away, and stored after its return, even if they finished before the history was enabled and are deleted meanwhile (G8)', async () => {
    const before = (await rowsIn()).length;
    await installation.server.kill();
    const [uuid, earlier] = await Promise.all([post('away'), post('earlier')]);
    await Promise.all([uuid, earlier].map((one) => project.untilPhase(one, ['Succeeded'])));
    const zipJob = await until('the exit of the pod', async () => {
      const now = await project.zipJob(uuid);
      return now.status?.job?.podUid === undefined && now;
    });
    expect(findCondition(zipJob.status?.conditions, 'Archived')).to.equal(undefined);
    expect(zipJob.metadata.finalizers).to.deep.equal([FINALIZER]);

    const target = ['zipjob', '-n', NAMESPACE, zipJobName(earlier)];
    // As a job is that finished without a history.
    await kubectl('patch', ...target, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await until('the controller to hold the job', async () => {
      const { finalizers } = (await project.zipJob(earlier)).metadata;
      return finalizers?.includes(FINALIZER) === true;
    });
    await kubectl('delete', ...target, '--wait=false');
    await installation.server.start();
    await untilArchived(uuid);
    await until('the row of the job', async () => (await rowsOf([earlier])).length === 1, {
      limitMs: 90_000,
    });
    expect((await rowsIn()).length).to.equal(before + 2);
  });

  it('have one row and one count each although the controller is killed while it stores them (G8)', async () => {
    const { cluster } = installation;
    await using admin = await adminApi(cluster);
    const before = (await rowsIn()).length;
    const uuids: string[] = [];
    for (let n = 0; n < 6; n += 1) uuids.push(await post(`killed-${n}`));
    await until('rows', async () => (await rowsOf(uuids)).length >= 2, { limitMs: 90_000 });
    const { name } = await leadingPod(cluster, admin);
    await kubectl('delete', 'pod', '-n', RELEASE_NAMESPACE, name, '--force', '--grace-period=0');
    for (const uuid of uuids) await untilArchived(uuid);
    const rows = await rowsOf(uuids);
    expect(rows).to.have.length(6);
    const all = (await rowsIn()).length;
    expect([all, Number(rows[0]?.counted)]).to.deep.equal([before + 6, before + 6]);
  });

  function purge(seconds: number) {
    return ['project', 'purge', PURGED, '--yes', '--timeout', String(seconds)];
  }
  function commandLine() {
    return createCommandLine({ kubeconfig: installation.cluster.kubeconfigPath });
  }
  async function keysIn(namespace: string): Promise<readonly string[]> {
    return (await rowsIn(namespace)).map(({ key }) => key);
  }
  async function projectNow(): Promise<ZipProject> {
    return JSON.parse(
      await kubectl('get', 'zipproject', PROJECT_NAME, '-o', 'json', '-n', PURGED),
    ) as ZipProject;
  }

  it('are deleted from the history by zipjobs project purge, of this project only; their ZipJobs stay, and later jobs are stored (G9)', async () => {
    const uuid = await archive('before', purged);
    const kept = await keysIn(NAMESPACE);
    expect(kept).to.not.deep.equal([]);
    // The job and its hour of usage.
    expect(await commandLine().json(purge(60))).to.include({ namespace: PURGED, records: 2 });
    expect([await keysIn(PURGED), await keysIn(NAMESPACE)]).to.deep.equal([[], kept]);
    expect((await purged.zipJob(uuid)).status?.phase).to.equal('Succeeded');
    const { metadata, status } = await projectNow();
    expect(findCondition(status?.conditions, 'HistoryPurged')?.status).to.equal('True');
    expect(status?.historyPurge?.nonce).to.equal(metadata.annotations?.[ANNOTATIONS.purgeHistory]);
    expect(findCondition(status?.conditions, 'Ready')?.status).to.equal('True');
    await until('the Event', async () =>
      (await kubectl('get', 'events', '-n', PURGED, '-o', 'jsonpath={.items[*].reason}')).includes(
        'HistoryPurged',
      ),
    );
    await archive('after', purged);
    expect(await keysIn(PURGED)).to.deep.equal(['after.zip']);
  });

  it('are purged after the return of a database that is away, and the command says so (G8)', async () => {
    await archive('away', purged);
    await installation.server.kill();
    const { exitCode, stderr } = await commandLine().run(purge(3));
    expect(exitCode, stderr).to.equal(6);
    async function hasReason(reason: string): Promise<boolean> {
      return findCondition((await projectNow()).status?.conditions, 'HistoryPurged')?.reason === reason;
    }
    await until('the condition to say so', () => hasReason('HistoryUnavailable'), { limitMs: 60_000 });
    await installation.server.start();
    await until('the end of the purge', () => hasReason('HistoryPurged'), { limitMs: 60_000 });
    expect(await keysIn(PURGED)).to.deep.equal([]);
  });

  it('are read with a new password without a restart, and 503 is the response until it arrives (G8)', async () => {
    function podNames(): Promise<string> {
      return kubectl('get', 'pods', '-n', RELEASE_NAMESPACE, '-o', 'jsonpath={.items[*].metadata.uid}');
    }
    const before = await podNames();
    expect((await get(UNKNOWN)).status).to.equal(404);
    await using administrator = await installation.openAs('administrator');
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
  });
});
