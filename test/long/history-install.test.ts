/** The chart with a real PostgreSQL: a failed and a successful migration, an upgrade without changes, and the way back. */
import { expect } from 'chai';
import type pg from 'pg';
import { installChart, RELEASE_NAMESPACE, upgradeRelease } from '#test/support/processes/installation.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import {
  type HistoryInstallation,
  startHistoryInstallation,
} from '#test/support/worlds/history-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const COMPONENTS = ['api', 'controller', 'dashboard'] as const;

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

describe('the chart with a history', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let installation: HistoryInstallation;

  before(async function () {
    await requirePostgres(this);
    installation = life.use(await startHistoryInstallation());
    cluster = installation.cluster;
    await installChart(cluster, installation.without);
  });
  after(() => life.disposeAsync());

  /** Uids of the pods of a component. @throws AssertionError if one is not ready */
  async function readyPods(component: string): Promise<readonly string[]> {
    const selector = encodeURIComponent(`app.kubernetes.io/component=${component}`);
    const path = `/api/v1/namespaces/${RELEASE_NAMESPACE}/pods?labelSelector=${selector}`;
    const pods = (await cluster.read<PodList>(path)).items.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    for (const { status } of pods)
      expect(status.conditions?.find(({ type }) => type === 'Ready')?.status, component).to.equal('True');
    return pods.map(({ metadata }) => metadata.uid).toSorted();
  }
  async function allPods(): Promise<readonly (readonly string[])[]> {
    return await Promise.all(COMPONENTS.map((component) => readyPods(component)));
  }

  /** What the migration left in the cluster. */
  async function leftOver(): Promise<readonly string[]> {
    const args = ['get', 'job,serviceaccount,networkpolicy', '-n', RELEASE_NAMESPACE, '-o', 'name'];
    const { stdout } = await cluster.kubectl([...args, '-l', 'app.kubernetes.io/component=migrate']);
    return stdout.split('\n').filter((line) => line !== '');
  }
  async function manifest(): Promise<string> {
    return (await cluster.helm(['get', 'manifest', 'zipjobs', '--namespace', RELEASE_NAMESPACE])).stdout;
  }

  it('has no trace of it before (G10)', async () => {
    expect(await manifest()).not.to.contain('HISTORY_');
    expect(await leftOver()).to.deep.equal([]);
  });

  it('fails the upgrade with a clear log if a password is wrong, and the old version keeps running (G10)', async () => {
    const before = await allPods();
    await installation.applySecret({ owner: 'Wr0ng-5ecret' });
    const { exitCode, stdout, stderr } = await upgradeRelease(cluster, installation.values, {
      allowFailure: true,
    });
    expect(exitCode, stderr).to.equal(1);
    const { stdout: log } = await cluster.kubectl(['logs', '-n', RELEASE_NAMESPACE, 'job/zipjobs-migrate']);
    // Helm prints the log as a quoted text.
    for (const output of [log, `${stdout}${stderr}`].map((text) => text.replaceAll('\\', ''))) {
      expect(output).to.contain('password authentication failed for user "zipjobs_owner"');
      expect(output).to.contain('HISTORY_PASSWORD_FILE').and.not.to.contain('5ecret');
    }
    expect(await leftOver()).to.deep.equal(['job.batch/zipjobs-migrate']);
    expect(await allPods()).to.deep.equal(before);
  });

  it('creates the tables before the processes start, over TLS with a private authority', async () => {
    await installation.applySecret();
    await installChart(cluster, installation.values);
    expect((await allPods()).map((pods) => pods.length)).to.deep.equal([1, 2, 1]);
    expect(await leftOver()).to.deep.equal([]);
    await using owner = await installation.openAs('owner');
    const { rows } = await owner.query<{ tablename: string }>(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'zipjobs' AND tableowner = 'zipjobs_owner'`,
    );
    expect(rows.map(({ tablename }) => tablename)).to.include.members(['jobs', 'job_details', 'projects']);
  });

  it('gives the roles of the documented SQL only what they need', async () => {
    await using reader = await installation.openAs('reader');
    await using writer = await installation.openAs('writer');
    expect((await reader.query('SELECT FROM zipjobs.jobs LIMIT 1')).rowCount).to.be.at.most(1);
    function refused(client: pg.Client, sql: string) {
      return client.query(sql).then(() => 'accepted', String);
    }
    for (const sql of [
      'DELETE FROM zipjobs.jobs',
      'UPDATE zipjobs.projects SET retention_days = 1',
      'CREATE TABLE zipjobs.own (id integer)',
      'CREATE SCHEMA own',
    ])
      expect(await refused(reader, sql), sql).to.contain('permission denied');
    for (const sql of [
      'DROP TABLE zipjobs.jobs',
      'CREATE TABLE zipjobs.own (id integer)',
      'CREATE SCHEMA own',
    ])
      expect(await refused(writer, sql), sql).to.match(/permission denied|must be owner/);
  });

  it('changes nothing when the same version is installed again', async () => {
    const before = await allPods();
    await using owner = await installation.openAs('owner');
    async function applied() {
      return (await owner.query('SELECT name, run_on FROM zipjobs.migrations ORDER BY id')).rows;
    }
    const migrations = await applied();
    await installChart(cluster, installation.values);
    expect(await applied()).to.deep.equal(migrations);
    expect(await allPods()).to.deep.equal(before);
    expect(await leftOver()).to.deep.equal([]);
  });

  it('migrates without hooks too, by the documented commands', async () => {
    const names = ['access', 'migrate-job'].flatMap((name) => ['-s', `templates/history/${name}.yaml`]);
    const { stdout: objects } = await cluster.helm(
      ['template', 'zipjobs', 'charts/zipjobs', '-n', RELEASE_NAMESPACE, '--values', '-', ...names],
      { input: JSON.stringify({ ...installation.values, image: { registry: 'localhost' } }) },
    );
    const inNamespace = ['-n', RELEASE_NAMESPACE];
    for (const _ of ['the first time', 'again']) {
      await cluster.kubectl(['replace', '--force', '-f', '-'], { input: objects });
      const job = ['--for=condition=Complete', '--timeout=60s', 'job/zipjobs-migrate'];
      await cluster.kubectl(['wait', ...inNamespace, ...job]);
    }
    const cleanUp = ['delete', 'job,serviceaccount,networkpolicy', ...inNamespace];
    await cluster.kubectl([...cleanUp, '-l', 'app.kubernetes.io/component=migrate']);
    expect(await leftOver()).to.deep.equal([]);
  });

  it('has no trace of it after it was disabled, and the tables stay (G10)', async () => {
    await installChart(cluster, installation.without);
    expect(await manifest()).not.to.contain('HISTORY_');
    expect(await leftOver()).to.deep.equal([]);
    await using owner = await installation.openAs('owner');
    expect((await owner.query('SELECT name FROM zipjobs.migrations')).rowCount).to.be.above(0);
  });
});
