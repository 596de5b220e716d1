/** `zipjobs job` on a real cluster with real jobs. */
import { expect } from 'chai';
import type { Job } from '#administration/jobs/job-view.ts';
import { ANNOTATIONS, fileListSecretName, GROUP_VERSION, zipJobName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { readZip } from '#test/support/archives/read-zip.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { type Run, runCommandLine } from '#test/support/processes/command-line.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { deliveryId } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { permissionDenied } from '#test/support/worlds/command-line-world.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { applyObjects } from '#test/support/worlds/project.ts';

const NAMESPACE = 'job-commands';
const CANARY = 'cAnArY0123456789';

describe('zipjobs job', function () {
  this.timeout(300_000);
  let flow: Flow;
  const life = new AsyncDisposableStack();
  before(async () => {
    flow = life.use(await startFlow(NAMESPACE));
  });
  after(() => life.disposeAsync());

  function zipjobs(args: readonly string[], kubeconfig = flow.cluster.kubeconfigPath): Promise<Run> {
    return runCommandLine({ kubeconfig }, ['job', ...args, '-n', NAMESPACE]);
  }
  async function ok(...args: readonly string[]): Promise<string> {
    const done = await zipjobs(args);
    expect(done.exitCode, done.stderr).to.equal(0);
    return done.stdout;
  }
  async function runJson(...args: readonly string[]): Promise<Job> {
    return JSON.parse(await ok(...args, '-o', 'json')) as Job;
  }
  function source(path: string, filename = 'a') {
    return { url: flow.origin.url(path), filename };
  }
  function events(uuid: string) {
    return flow.receiver.deliveries.filter(({ body }) => body.includes(uuid));
  }

  it('creates an archive from arguments and waits for it (Q-C1)', async () => {
    const { bucketName, bucket } = flow.project;
    const urls = [flow.origin.url('/gen/1000/1'), `folder/b=${flow.origin.url('/gen/2000/2')}`];
    const args = [
      'create',
      '--bucket',
      bucketName,
      '--key',
      'by-hand.zip',
      '--manifest',
      'sha256sum',
      ...urls,
    ];
    const done = await zipjobs([...args, '--wait', '--timeout', '100']);
    expect(done.exitCode, done.stderr).to.equal(0);
    expect(done.stdout).to.match(/Phase: +Succeeded/);
    const names = readZip(await bucket.bytes('by-hand.zip')).entries.map(({ name }) => name);
    expect(names).to.include.members(['1', 'folder/b']);
  });

  it('waits for a job that succeeds, and shows its history', async () => {
    const uuid = await flow.post([source('/gen/1000/1'), source('/gen/2000/2', 'b')]);
    const done = await zipjobs(['wait', uuid, '--verbose', '--timeout', '100']);
    expect(done.exitCode, done.stderr).to.equal(0);
    expect(done.stdout)
      .to.match(/Phase: +Succeeded/)
      .and.to.match(/Files: +2\/2/);
    expect(done.stdout).to.match(/Complete +Uploaded/);
    await flow.project.untilPhase(uuid, ['Succeeded']);
    expect(await ok('get', uuid)).to.match(/Attempt 1 finished +success, exit code 0/);
    const job = await runJson('get', uuid);
    expect(job).to.include({
      id: uuid,
      project: NAMESPACE,
      apiStatus: 'succeeded',
      bucketName: flow.project.bucketName,
    });
    expect(job.archive?.entries).to.equal(2);
    const listed = await ok('list', '--phase', 'succeeded', '--bucket', flow.project.bucketName);
    expect(listed)
      .to.match(/^ID +KEY +STATE +FILES +SIZE +AGE\n/)
      .and.to.contain(`${uuid.slice(0, 8)}  `);
  });

  it('shows the failed file and the response of its source, without the URL', async () => {
    const uuid = await flow.post([source('/gen/10/1'), source(`/status/404?sig=${CANARY}`, 'b')]);
    const done = await zipjobs(['wait', uuid, '--timeout', '100']);
    expect(done.exitCode).to.equal(1);
    expect(done.stdout)
      .to.match(/Failing file: +1\n/)
      .and.to.match(/HTTP status: +404\n/)
      .and.to.match(/Failing files: +1 of 2, 2 checked\n/)
      .and.to.match(/^1 +404 +SourceNotFound +A source does not have/m);
    expect(`${done.stdout}${done.stderr}`).not.to.contain(CANARY);
    const job = await runJson('get', zipJobName(uuid));
    expect(job.failure).to.deep.include({
      code: 'SourceNotFound',
      fileIndex: 1,
      httpStatus: 404,
      filename: null,
    });
    expect(job.sourceCheck).to.deep.include({ checked: 2, failed: 1, bytes: 10, lengths: 1 });
    expect(job.attempts[0]).to.include({ class: 'permanent', reason: 'SourceNotFound' });
    const log = await zipjobs(['logs', uuid]);
    expect(log.exitCode === 0 || log.exitCode === 4, log.stderr).to.equal(true);
    expect(log.stdout).not.to.contain(CANARY);
    expect(await ok('list', '--phase', 'Failed')).to.contain('SourceNotFound');
  });

  it('runs a failed job again with its stored list of files', async () => {
    let isSourceFixed = false;
    await using origin = await startFileOrigin({
      routes: {
        '/late': (_request, response) =>
          void (isSourceFixed ? response.writeHead(200).end('here now') : response.writeHead(404).end()),
      },
    });
    const uuid = await flow.post([{ url: `${origin.origin}/late?sig=${CANARY}`, filename: 'late.txt' }]);
    await flow.project.untilPhase(uuid, ['Failed'], 100_000);
    isSourceFixed = true;
    // A user who may manage jobs but read no Secret.
    const roles = ['--verb=get,list,create,patch', '--resource=zipjobs.zipjobs.dev'];
    await flow.kubectl('create', 'role', 'job-manager', ...roles);
    await flow.kubectl('create', 'rolebinding', 'job-manager', '--role=job-manager', '--user=manager');
    const right = { user: 'manager', verb: 'create', resource: 'zipjobs.zipjobs.dev' };
    await untilAllowed(flow.cluster, { ...right, namespace: NAMESPACE });
    const manager = await flow.cluster.kubeconfigFor({ commonName: 'manager' });
    const done = await zipjobs(['run-again', uuid, '-o', 'json', '--wait', '--timeout', '100'], manager);
    expect(done.exitCode, done.stderr).to.equal(0);
    const again = JSON.parse(done.stdout) as Job;
    expect(again).to.include({ phase: 'Succeeded', runAgainOf: zipJobName(uuid) });
    expect(again.id).not.to.equal(uuid);
    const zip = readZip(await flow.project.bucket.bytes(again.key));
    expect(zip.entries.map(({ name }) => name)).to.deep.equal(['late.txt']);
    expect(`${done.stdout}${done.stderr}`).not.to.contain(CANARY);
    expect(await flow.kubectl('get', 'zipjobs', '-o', 'yaml')).not.to.contain(CANARY);
    await flow.receiver.next(({ body }) => body.includes(again.id) && body.includes('COMPLETED'));
    const reply = await askApi(flow.baseUrl, { path: `/v1/zips/${again.id}`, token: flow.project.token });
    expect(reply.body.data).to.include({ uuid: again.id, status: 'succeeded' });
    // The list belongs to the first job and still exists for the third one.
    expect(
      await flow.kubectl('get', 'secret', fileListSecretName(zipJobName(uuid), 0), '-o', 'name'),
    ).to.contain(uuid);
    expect((await zipjobs(['run-again', again.id, '--wait', '--timeout', '100'])).exitCode).to.equal(0);
  });

  it('explains why a job cannot be rerun: its list is deleted, or it is not finished', async () => {
    const uuid = await flow.post([source('/status/404')]);
    await flow.project.untilPhase(uuid, ['Failed'], 100_000);
    await flow.kubectl(
      'annotate',
      'zipjob',
      zipJobName(uuid),
      `${ANNOTATIONS.fileListDeletedAt}=2026-01-01T00:00:00Z`,
    );
    const refused = await zipjobs(['run-again', uuid]);
    expect(refused.exitCode).to.equal(3);
    expect(refused.stderr)
      .to.contain('its file list was deleted')
      .and.to.contain('Send the original request again');
    const running = await flow.post([source('/drip/1000/500/1000000/1')]);
    const forced = await zipjobs(['run-again', running]);
    expect(forced.exitCode).to.equal(3);
    expect(forced.stderr).to.contain('it is not finished');
    await ok('cancel', running, '--yes');
  });

  it('reruns a job that was created with kubectl, under a new name', async () => {
    await applyObjects(flow.cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipJob',
        metadata: { namespace: NAMESPACE, name: 'nightly' },
        spec: {
          bucketRef: { name: `s3-${flow.project.bucketName}` },
          key: 'nightly.zip',
          files: [source('/gen/10/1')],
        },
      },
    ]);
    expect((await zipjobs(['wait', 'nightly', '--timeout', '100'])).exitCode).to.equal(0);
    const byUid = await runJson('get', 'nightly');
    expect((await runJson('get', byUid.id)).name).to.equal('nightly');
    const again = await runJson('run-again', 'nightly', '--wait', '--timeout', '100');
    expect(again.name).to.match(/^nightly-[0-9a-f]{8}$/);
    expect(again.phase).to.equal('Succeeded');
  });

  it('cancels a running job after a confirmation, and refuses a second time', async () => {
    const uuid = await flow.post([source('/drip/1000/500/1000000/1')]);
    await flow.project.untilPhase(uuid, ['Running'], 100_000);
    expect(await ok('list', '--unfinished')).to.contain(uuid.slice(0, 8));
    const unasked = await zipjobs(['cancel', uuid]);
    expect(unasked.exitCode).to.equal(2);
    await ok('cancel', uuid, '--yes');
    const end = await zipjobs(['get', uuid, '--watch', '--timeout', '100']);
    expect(end.exitCode).to.equal(1);
    expect(end.stdout).to.match(/Phase: +Cancelled/);
    const twice = await zipjobs(['cancel', uuid, '--yes']);
    expect(twice.exitCode).to.equal(3);
    expect(twice.stderr).to.contain('it is already finished (Cancelled)');
  });

  it('replays a webhook with the same ID, and reports when the delivery fails', async () => {
    const uuid = await flow.post([source('/gen/10/1')]);
    await flow.project.untilPhase(uuid, ['Succeeded'], 100_000);
    await until('the first event', async () => (await runJson('get', uuid)).webhook?.state === 'Delivered');
    expect(await ok('replay-webhook', uuid)).to.contain('delivered (HTTP 204)');
    expect(events(uuid)).to.have.length(2);
    expect(new Set(events(uuid).map(deliveryId)).size).to.equal(1);
    // The receiver refuses the next delivery, so no delivery of another job may be pending.
    await until('every event to be delivered', async () => {
      const text = await flow.kubectl('get', 'zipjobs', '-o', 'json');
      const { items } = JSON.parse(text) as { readonly items: readonly ZipJob[] };
      const done = ['Delivered', 'NotConfigured'];
      return items.every(({ status }) => done.includes(status?.webhook?.state ?? ''));
    });
    flow.receiver.responses.push(500);
    const refused = await zipjobs(['replay-webhook', uuid]);
    expect(refused.exitCode).to.equal(1);
    expect(refused.stdout).to.contain('not delivered (HTTP 500)');
  });

  it('stops waiting at the timeout, and prints the state of the job', async () => {
    const uuid = await flow.post([source('/drip/1000/500/1000000/1')]);
    const done = await zipjobs(['wait', uuid, '--timeout', '1']);
    expect(done.exitCode).to.equal(6);
    expect(done.stderr).to.match(/is not finished after 1 s: (Queued|Starting|Running)/);
    await ok('cancel', uuid, '-y');
  });

  it('explains invalid options and missing permissions', async () => {
    expect((await zipjobs(['get', 'no-such-job'])).exitCode).to.equal(4);
    expect((await zipjobs(['get', '00000000-0000-4000-8000-000000000000'])).exitCode).to.equal(4);
    for (const [args, words] of [
      [['list', '--phase', 'Done'], 'Queued, Starting'],
      [['list', '--newer-than', 'yesterday'], '30s, 10m'],
      [['list', '--limit', '0'], 'must be an integer of at least 1'],
    ] as const) {
      const done = await zipjobs(args);
      expect(done.exitCode).to.equal(2);
      expect(done.stderr).to.contain(words);
    }
    const stranger = await flow.cluster.kubeconfigFor({ commonName: 'nobody-at-all' });
    const done = await zipjobs(['list'], stranger);
    expect(done.exitCode).to.equal(3);
    expect(done.stderr).to.contain(
      permissionDenied('nobody-at-all', ['list', 'zipjobs.zipjobs.dev'], 'in namespace job-commands'),
    );
  });

  it('lists the jobs of all projects, newest first, up to the limit', async () => {
    const everywhere = await ok('list', '-A');
    expect(everywhere).to.match(/^PROJECT +ID/);
    const done = await zipjobs(['list', '--limit', '2', '-o', 'json']);
    const jobs = JSON.parse(done.stdout) as readonly Job[];
    expect(jobs).to.have.length(2);
    expect(done.stderr).to.match(/Showing the newest 2 of \d+ jobs/);
    expect(jobs[0]!.createdAt! >= jobs[1]!.createdAt!).to.equal(true);
    expect(JSON.parse(await ok('list', '--key', 'night*.zip', '-o', 'json'))).to.have.length(2);
    expect(JSON.parse(await ok('list', '--older-than', '1d', '-o', 'json'))).to.deep.equal([]);
  });
});
