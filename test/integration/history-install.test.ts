/** The chart with a real PostgreSQL: a failed and a successful migration, an upgrade without changes, and the way back. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import pg from 'pg';
import { installChart, RELEASE_NAMESPACE, upgradeRelease } from '#test/support/processes/installation.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import {
  type PostgresProcess,
  SUPERUSER,
  startPostgresProcess,
} from '#test/support/servers/postgres-process.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { applyObjects } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const SECRET = 'zipjobs-history';
const CONFIG_MAP = 'postgres-ca';
const ROLES = ['owner', 'writer', 'reader'] as const;
const PASSWORDS = { owner: 'Owner-5ecret', writer: 'Writer-5ecret', reader: 'Reader-5ecret' } as const;
const COMPONENTS = ['api', 'controller', 'dashboard'] as const;

/** The SQL of docs/history.md, with these passwords. */
const documentedSql = (): string => {
  const [, sql = ''] =
    /<!-- begin sql.*?-->\n```sql\n(.*?)```/s.exec(readFileSync('docs/history.md', 'utf8')) ?? [];
  return ROLES.reduce((text, role) => text.replace(`${role.toUpperCase()}_PASSWORD`, PASSWORDS[role]), sql);
};

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
  let server: PostgresProcess;
  let values: Readonly<Record<string, unknown>>;

  const dashboard = { enabled: true, replicas: 1, allowHttp: true };

  const applySecret = (change: Partial<Record<(typeof ROLES)[number], string>> = {}): Promise<void> =>
    applyObjects(cluster, [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: SECRET, namespace: RELEASE_NAMESPACE },
        stringData: Object.fromEntries(
          ROLES.map((role) => [`${role}-password`, change[role] ?? PASSWORDS[role]]),
        ),
      },
    ]);

  before(async function () {
    await requirePostgres(this);
    server = life.use(await startPostgresProcess());
    cluster = await sharedCluster();
    life.defer(() => resetInstallation());
    await using administrator = await open('postgres', SUPERUSER);
    for (const statement of documentedSql()
      .split(';\n')
      .filter((one) => one.trim() !== ''))
      await administrator.query(statement);
    values = {
      dashboard,
      history: {
        postgres: {
          host: '127.0.0.1',
          port: server.port,
          existingSecret: SECRET,
          tls: { caConfigMapKeyRef: { name: CONFIG_MAP } },
        },
        migration: { deadlineSeconds: 60 },
      },
      networkPolicies: {
        enabled: true,
        apiServerCidrs: ['127.0.0.1/32'],
        historyEgress: [
          { to: [{ ipBlock: { cidr: '127.0.0.0/8' } }], ports: [{ protocol: 'TCP', port: server.port }] },
        ],
      },
    };
    await installChart(cluster, { dashboard });
    await applyObjects(cluster, [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: CONFIG_MAP, namespace: RELEASE_NAMESPACE },
        data: { 'ca.crt': PRIVATE_TLS.authority },
      },
    ]);
    life.defer(async () => {
      const objects = [`secret/${SECRET}`, `configmap/${CONFIG_MAP}`];
      await cluster.kubectl(['delete', '-n', RELEASE_NAMESPACE, '--ignore-not-found', ...objects]);
    });
  });
  after(() => life.disposeAsync());

  const open = async (database: string, account: { readonly user: string; readonly password: string }) => {
    const client = new pg.Client({ host: '127.0.0.1', port: server.port, database, ssl: false, ...account });
    client.on('error', () => undefined);
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
  };
  const openAs = (role: (typeof ROLES)[number]) =>
    open('zipjobs', { user: `zipjobs_${role}`, password: PASSWORDS[role] });

  /** Uids of the pods of a component. @throws AssertionError if one is not ready */
  const readyPods = async (component: string): Promise<readonly string[]> => {
    const selector = encodeURIComponent(`app.kubernetes.io/component=${component}`);
    const path = `/api/v1/namespaces/${RELEASE_NAMESPACE}/pods?labelSelector=${selector}`;
    const pods = (await cluster.read<PodList>(path)).items.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    for (const { status } of pods)
      expect(status.conditions?.find(({ type }) => type === 'Ready')?.status, component).to.equal('True');
    return pods.map(({ metadata }) => metadata.uid).toSorted();
  };
  const allPods = async (): Promise<readonly (readonly string[])[]> =>
    await Promise.all(COMPONENTS.map((component) => readyPods(component)));

  /** What the migration left in the cluster. */
  const leftOver = async (): Promise<readonly string[]> => {
    const args = ['get', 'job,serviceaccount,networkpolicy', '-n', RELEASE_NAMESPACE, '-o', 'name'];
    const { stdout } = await cluster.kubectl([...args, '-l', 'app.kubernetes.io/component=migrate']);
    return stdout.split('\n').filter((line) => line !== '');
  };
  const manifest = async (): Promise<string> =>
    (await cluster.helm(['get', 'manifest', 'zipjobs', '--namespace', RELEASE_NAMESPACE])).stdout;

  it('has no trace of it before (G10)', async () => {
    expect(await manifest()).not.to.contain('HISTORY_');
    expect(await leftOver()).to.deep.equal([]);
  });

  it('fails the upgrade with a clear log if a password is wrong, and the old version keeps running (G10)', async () => {
    const before = await allPods();
    await applySecret({ owner: 'Wr0ng-5ecret' });
    const { exitCode, stdout, stderr } = await upgradeRelease(cluster, values, { allowFailure: true });
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
    await applySecret();
    await installChart(cluster, values);
    expect((await allPods()).map((pods) => pods.length)).to.deep.equal([1, 2, 1]);
    expect(await leftOver()).to.deep.equal([]);
    await using owner = await openAs('owner');
    const { rows } = await owner.query<{ tablename: string }>(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'zipjobs' AND tableowner = 'zipjobs_owner'`,
    );
    expect(rows.map(({ tablename }) => tablename)).to.include.members(['jobs', 'job_details', 'projects']);
  });

  it('gives the roles of the documented SQL only what they need', async () => {
    await using reader = await openAs('reader');
    await using writer = await openAs('writer');
    expect((await reader.query('SELECT FROM zipjobs.jobs LIMIT 1')).rowCount).to.be.at.most(1);
    const refused = (client: pg.Client, sql: string) => client.query(sql).then(() => 'accepted', String);
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
    await using owner = await openAs('owner');
    const applied = async () =>
      (await owner.query('SELECT name, run_on FROM zipjobs.migrations ORDER BY id')).rows;
    const migrations = await applied();
    await installChart(cluster, values);
    expect(await applied()).to.deep.equal(migrations);
    expect(await allPods()).to.deep.equal(before);
    expect(await leftOver()).to.deep.equal([]);
  });

  it('migrates without hooks too, by the documented commands', async () => {
    const names = ['access', 'migrate-job'].flatMap((name) => ['-s', `templates/history/${name}.yaml`]);
    const { stdout: objects } = await cluster.helm(
      ['template', 'zipjobs', 'charts/zipjobs', '-n', RELEASE_NAMESPACE, '--values', '-', ...names],
      { input: JSON.stringify({ ...values, image: { registry: 'localhost' } }) },
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
    await installChart(cluster, { dashboard });
    expect(await manifest()).not.to.contain('HISTORY_');
    expect(await leftOver()).to.deep.equal([]);
    await using owner = await openAs('owner');
    expect((await owner.query('SELECT name FROM zipjobs.migrations')).rowCount).to.be.above(0);
  });
});
