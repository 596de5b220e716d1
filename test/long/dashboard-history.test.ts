import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { aFinishedJob, daysAgo, idOf } from '#test/support/builders/archived-jobs.ts';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { type CommandLine, createCommandLine } from '#test/support/processes/command-line.ts';
import { requirePostgres, requirePrograms } from '#test/support/processes/require-programs.ts';
import type { Visitor } from '#test/support/servers/dashboard-server.ts';
import { type PostgresServer, startPostgres } from '#test/support/servers/postgres-server.ts';
import { until } from '#test/support/until.ts';
import { archiveJobs } from '#test/support/worlds/archived-jobs.ts';
import { type DashboardDesk, startDashboardDesk } from '#test/support/worlds/dashboard-desk.ts';
import { createDashboardUser, type DashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { applyObjects } from '#test/support/worlds/project.ts';

const OURS = 'history';
const THEIRS = 'history-theirs';

describe('the history in the dashboard and on the command line', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let postgres: PostgresServer;
  let desk: DashboardDesk;
  let ada: DashboardUser;
  let bob: DashboardUser;

  async function uidOf(namespace: string): Promise<string> {
    const path = `/apis/${GROUP_VERSION}/namespaces/${namespace}/zipprojects/project`;
    const { metadata } = await desk.flow.cluster.read<ZipProject>(path);
    return metadata.uid ?? '';
  }
  async function archive(
    namespace: string,
    ...jobs: readonly (readonly [number, Parameters<typeof aFinishedJob>[1]])[]
  ): Promise<void> {
    const zipJobs = jobs.map(([n, change]) => {
      const job = aFinishedJob(n, change);
      return { ...job, metadata: { ...job.metadata, namespace } };
    });
    await archiveJobs(postgres, zipJobs, await uidOf(namespace));
  }
  async function signedIn(user: DashboardUser, readable: string): Promise<Visitor> {
    const visitor = await desk.visit(user);
    await until(
      'the dashboard to know project and permissions',
      async () => (await visitor.get(`/projects/${readable}/history`)).status !== 403,
    );
    return visitor;
  }
  async function commandLineOf(token: string): Promise<CommandLine> {
    return createCommandLine({ kubeconfig: await desk.flow.cluster.kubeconfigFor({ token }) });
  }
  function env(): Readonly<Record<string, string>> {
    return { ZIPJOBS_DASHBOARD_URL: desk.url };
  }

  before(async function () {
    await requirePostgres(this);
    postgres = life.use(await startPostgres());
    desk = life.use(
      await startDashboardDesk(OURS, {
        ...postgres.env('reader'),
        ...unsupported({ HISTORY_CONNECT_TIMEOUT_MS: 1000 }),
        DASHBOARD_HISTORY_REQUESTS_PER_MINUTE: '0',
      }),
    );
    await applyObjects(desk.flow.cluster, [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: THEIRS } },
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipProject',
        metadata: { namespace: THEIRS, name: 'project' },
        spec: {},
      },
    ]);
    ada = await desk.addUser('ada', 'view');
    bob = await createDashboardUser(desk.flow.cluster, THEIRS, { account: 'bob', role: 'view' });
    await archive(OURS, ...Array.from({ length: 60 }, (_, n) => [n + 1, {}] as const), [
      100,
      {
        key: '=cmd|"/c calc"!A1',
        token: '@sum',
        finishedAt: daysAgo(40),
        spec: { metadata: '{"a":"x\\ny"}' },
      },
    ]);
    await archive(THEIRS, [200, { key: 'theirs.zip' }]);
  });
  after(() => life.disposeAsync());

  it('shows each user only the projects whose jobs the API server lets them list', async () => {
    const [adas, bobs] = [await signedIn(ada, OURS), await signedIn(bob, THEIRS)];
    expect((await adas.get(`/projects/${OURS}/history`)).text).to.contain('reports/1.zip');
    expect((await bobs.get(`/projects/${THEIRS}/history`)).text).to.contain('theirs.zip');
    for (const page of ['history', 'history.csv', 'usage', `jobs/${idOf(200)}`]) {
      const { status, text } = await adas.get(`/projects/${THEIRS}/${page}`);
      expect(status, page).to.equal(403);
      expect(text, page).to.not.contain('theirs.zip');
    }
    // A job of another project does not exist in one's own.
    expect((await adas.get(`/projects/${OURS}/jobs/${idOf(200)}`)).status).to.equal(404);
  });

  it('exports a CSV file that python3 reads', async function () {
    await requirePrograms(this, ['python3']);
    const { status, text } = await (await signedIn(ada, OURS)).get(`/projects/${OURS}/history.csv`);
    expect(status).to.equal(200);
    const program =
      'import csv,json,sys; json.dump(list(csv.DictReader(sys.stdin, strict=True)), sys.stdout)';
    const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: text, encoding: 'utf8' });
    expect(stderr).to.equal('');
    const rows = JSON.parse(stdout) as readonly Readonly<Record<string, string>>[];
    expect(rows.length).to.equal(61);
    expect(rows[0]).to.include({ id: idOf(1), key: 'reports/1.zip', bytes: '2048', phase: 'Succeeded' });
    expect(rows.at(-1)).to.include({
      key: `'=cmd|"/c calc"!A1`,
      created_by: `'@sum`,
      metadata: '{"a":"x\\ny"}',
    });
  });

  it('is listed by the command line, page after page, with the same permissions', async () => {
    const cli = await commandLineOf(ada.token);
    const listed = (await cli.json(
      ['job', 'list', '--history', '-n', OURS, '-o', 'json', '--limit', '1000'],
      {
        env: env(),
      },
    )) as readonly { readonly key: string }[];
    expect(listed.length).to.equal(61);
    const { stdout } = await cli.succeed(
      ['job', 'list', '--history', '-n', OURS, '--older-than', '30d', '-w'],
      {
        env: env(),
      },
    );
    expect(stdout).to.contain('=cmd|').and.not.contain('reports/1.zip');
    const refused = await cli.run(['job', 'list', '--history', '-n', THEIRS], { env: env() });
    expect([refused.exitCode, refused.stdout]).to.deep.equal([3, '']);
    expect(refused.stderr).to.contain('not allowed to');
    expect(cli.printed).to.not.contain(ada.token);
  });

  it('has one job for the command line after the ZipJob is gone', async () => {
    const cli = await commandLineOf(ada.token);
    const { stdout, stderr } = await cli.succeed(['job', 'get', idOf(3), '-n', OURS], { env: env() });
    expect(stdout).to.contain('reports/3.zip').and.contain(idOf(3));
    expect(stderr).to.contain('from the history');
    expect((await cli.run(['job', 'get', idOf(999), '-n', OURS], { env: env() })).exitCode).to.equal(4);
    expect((await cli.run(['job', 'get', idOf(3), '-n', OURS])).exitCode).to.equal(4);
  });

  it('explains what a user with a client certificate can do', async () => {
    const kubeconfig = await desk.flow.cluster.kubeconfigFor({ commonName: 'carol' });
    const cli = createCommandLine({ kubeconfig });
    const args = ['job', 'list', '--history', '-n', OURS];
    const refused = await cli.run(args, { env: env() });
    expect([refused.exitCode, refused.stdout]).to.deep.equal([2, '']);
    expect(refused.stderr).to.contain('kubectl create token');
    await cli.succeed(args, { env: { ...env(), ZIPJOBS_DASHBOARD_TOKEN: ada.token } });
  });

  it('says that the database is away, and shows the jobs of the cluster (G8)', async () => {
    const { flow } = desk;
    const uuid = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a' }]);
    await flow.project.untilPhase(uuid, ['Succeeded']);
    const visitor = await signedIn(ada, OURS);
    await postgres.kill();
    try {
      const jobs = await visitor.get(`/projects/${OURS}/jobs`);
      expect(jobs.status).to.equal(200);
      expect(jobs.text).to.contain(uuid);
      expect((await visitor.get(`/projects/${OURS}/jobs/${uuid}`)).status).to.equal(200);
      expect((await visitor.get(`/projects/${OURS}`)).text).to.contain('history database does not respond');
      for (const page of ['history', `jobs/${idOf(1)}`]) {
        const { status, text } = await visitor.get(`/projects/${OURS}/${page}`);
        expect(status, page).to.equal(503);
        expect(text, page).to.contain('history database does not respond');
      }
      const cli = await commandLineOf(ada.token);
      const away = await cli.run(['job', 'list', '--history', '-n', OURS], { env: env() });
      expect(away.exitCode).to.equal(5);
      expect(away.stderr).to.contain('history database does not respond');
    } finally {
      await postgres.start();
    }
    await until(
      'the history to be back',
      async () => (await visitor.get(`/projects/${OURS}/history`)).status === 200,
    );
  });
});
