/** Runs each kubectl command of the table in docs/on-call.md as written. */
import { expect } from 'chai';
import { bucketResourceName, GROUP_VERSION } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { type ClusterTime, startClusterTime } from '#test/support/processes/cluster-time.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { loadOnCallCommands, type OnCallCommands } from '#test/support/worlds/on-call-commands.ts';
import { applyObjects, createProject } from '#test/support/worlds/project.ts';
import { setWaitingReason } from '#test/support/worlds/set-waiting-reason.ts';

const MAIN = 'on-call';
/** A project with one slot. */
const SLOT = 'on-call-slot';
/** Projects whose quota allows no Job, and no pod. */
const NO_JOBS = 'on-call-no-jobs';
const NO_PODS = 'on-call-no-pods';

/** Never reached in real time: the test moves the clock of the controllers. */
const START_DEADLINE_SECONDS = 3600;
const HUGE = { cpu: '900', memory: '64Mi', 'ephemeral-storage': '1Mi' };
const OVER_LIMIT = { cpu: '3', memory: '64Mi', 'ephemeral-storage': '1Mi' };

describe('the commands of docs/on-call.md', function () {
  this.timeout(300_000);
  let flow: Flow;
  let commands: OnCallCommands;
  const life = new AsyncDisposableStack();

  const run: OnCallCommands['run'] = (question, about) => commands.run(question, about);
  const untilPrinted: OnCallCommands['untilPrinted'] = (...question) => commands.untilPrinted(...question);

  let time: ClusterTime;

  function aZipJob(namespace: string, name: string, spec: Partial<ZipJob['spec']> = {}) {
    return {
      apiVersion: GROUP_VERSION,
      kind: 'ZipJob',
      metadata: { namespace, name },
      spec: {
        bucketRef: { name: bucketResourceName('s3', `${namespace}-archives`) },
        key: `${name}.zip`,
        files: [{ url: flow.origin.url('/gen/1000/1'), filename: 'a' }],
        startDeadlineSeconds: START_DEADLINE_SECONDS,
        ...spec,
      },
    };
  }
  function endless() {
    return { files: [{ url: flow.hold().url, filename: 'slow' }] };
  }
  function aQuota(namespace: string, hard: Readonly<Record<string, string>>) {
    return {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace, name: 'tight' },
      spec: { hard },
    };
  }
  const maxCpu = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { namespace: NO_PODS, name: 'small' },
    spec: { limits: [{ type: 'Container', max: { cpu: '2500m' } }] },
  };
  function bucketWithoutSecret() {
    return {
      apiVersion: GROUP_VERSION,
      kind: 'ZipBucket',
      metadata: { namespace: MAIN, name: 's3-no-secret' },
      spec: {
        service: 's3',
        bucketName: 'no-secret',
        region: 'us-east-1',
        endpoint: flow.cluster.store.endpoint,
      },
    };
  }

  before(async () => {
    flow = life.use(await startFlow(MAIN));
    const { cluster } = flow;
    time = life.use(await startClusterTime(cluster));
    commands = await loadOnCallCommands(cluster);
    await Promise.all(
      [SLOT, NO_JOBS, NO_PODS].map(async (namespace) => {
        const limits = namespace === SLOT && { limits: { activeJobs: 1 } };
        life.use(await createProject(cluster, { namespace, ...limits }));
      }),
    );
    await applyObjects(cluster, [
      aQuota(NO_JOBS, { 'count/jobs.batch': '0' }),
      aQuota(NO_PODS, { pods: '0' }),
      maxCpu,
      bucketWithoutSecret(),
      aZipJob(SLOT, 'first', endless()),
    ]);
    await until('the first job to have the slot', async () => {
      const first = await cluster.read<ZipJob>(`/apis/${GROUP_VERSION}/namespaces/${SLOT}/zipjobs/first`);
      return findCondition(first.status?.conditions, 'JobCreated')?.status === 'True';
    });
    await applyObjects(cluster, [
      aZipJob(MAIN, 'unschedulable', { resources: { requests: HUGE, limits: HUGE } }),
      aZipJob(MAIN, 'no-image', { resources: { requests: HUGE, limits: HUGE } }),
      aZipJob(MAIN, 'bad-config', { resources: { requests: HUGE, limits: HUGE } }),
      aZipJob(MAIN, 'no-secret', { bucketRef: { name: 's3-no-secret' } }),
      aZipJob(MAIN, 'held', { suspend: true }),
      aZipJob(MAIN, 'reader', {
        files: [{ url: 's3://no-secret/a', filename: 'a' }],
        sourceBuckets: ['s3-no-secret'],
      }),
      aZipJob(MAIN, 'not-found', {
        files: [
          { url: flow.origin.url('/gen/1000/1'), filename: 'a' },
          { url: flow.origin.url('/status/404?sig=CANARY'), filename: 'b' },
        ],
      }),
      aZipJob(NO_JOBS, 'refused'),
      aZipJob(NO_PODS, 'no-pod'),
      aZipJob(NO_PODS, 'too-large', { resources: { requests: OVER_LIMIT, limits: OVER_LIMIT } }),
      aZipJob(SLOT, 'second', { key: 'first.zip' }),
      aZipJob(SLOT, 'third'),
    ]);
  });
  after(() => life.disposeAsync());

  /** The events at the end of the description, once all expected ones are recorded. */
  async function eventsOf(
    at: { readonly namespace: string; readonly name: string },
    reasons: readonly string[],
  ): Promise<string> {
    const all = reasons.map((reason) => `(?=[^]*\\nEvents:[^]* ${reason} )`).join('');
    return (await untilPrinted(STORY, at, new RegExp(`^${all}`))).split('\nEvents:')[1] ?? '';
  }

  const WAITING = 'Why is it waiting, or why did it fail?';
  const STORY = 'What happened to it?';

  it('show in one line why a job waits (F13)', async () => {
    await setWaitingReason(
      flow.cluster,
      { namespace: MAIN, name: 'no-image' },
      { reason: 'ImagePullBackOff', message: 'Back-off pulling image "zipper:0"' },
    );
    await setWaitingReason(
      flow.cluster,
      { namespace: MAIN, name: 'bad-config' },
      {
        reason: 'CreateContainerConfigError',
        message: 'secret "zipbucket-a" not found',
      },
    );
    function at(namespace: string, name: string) {
      return { namespace, name };
    }
    await Promise.all([
      untilPrinted(WAITING, at(SLOT, 'second'), /Queued .* OlderJobFirst .* job first writes the same key/),
      untilPrinted(
        WAITING,
        at(SLOT, 'third'),
        /Queued .* SlotsTaken .* at most 1 jobs of this project can run at the same time/,
      ),
      untilPrinted(WAITING, at(MAIN, 'held'), /Queued .* Suspended .* The job is suspended by spec\.suspend/),
      untilPrinted(
        WAITING,
        at(MAIN, 'unschedulable'),
        /Starting .* Unschedulable .* 0\/1 nodes are available: .*Insufficient cpu/,
      ),
      untilPrinted(
        WAITING,
        at(MAIN, 'no-image'),
        /Starting .* ImagePull .* ImagePullBackOff: Back-off pulling image/,
      ),
      untilPrinted(
        WAITING,
        at(MAIN, 'bad-config'),
        /Starting .* ContainerConfig .* CreateContainerConfigError: secret "zipbucket-a"/,
      ),
      untilPrinted(
        WAITING,
        at(NO_JOBS, 'refused'),
        /Queued .* QuotaExceeded .* ResourceQuota "tight" has no room/,
      ),
      untilPrinted(
        WAITING,
        at(NO_PODS, 'no-pod'),
        /Starting .* QuotaExceeded .* ResourceQuota "tight" has no room/,
      ),
      untilPrinted(
        WAITING,
        at(NO_PODS, 'too-large'),
        /Starting .* AdmissionRefused .* maximum cpu usage per Container is 2500m/,
      ),
    ]);
  });

  it('show why a job failed, at which file and in which attempt, without a URL', async () => {
    const at = { namespace: MAIN, name: 'not-found' };
    const line = await untilPrinted(WAITING, at, /Failed .* SourceNotFound .* 404/);
    expect(await run('Which file failed?', at)).to.equal('1 SourceNotFound 404\n');
    expect(await run('Which other files failed?', at)).to.contain('1 of 2 fail: 1 SourceN');
    const attempts = await run('Which attempts were made?', at);
    expect(attempts).to.match(/^1 permanent SourceNotFound .*\n$/);
    expect(await run('What did each attempt keep of the ones before?', at)).to.equal('1:  parts,  bytes \n');
    const story = await eventsOf(at, ['JobCreated', 'PodActive', 'AttemptFailed', 'Failed']);
    expect(story + line + attempts).not.to.contain('CANARY');
    expect(await run('What does its zipper log?', at))
      .to.contain('"SourceNotFound"')
      .and.not.to.contain('CANARY');
  });

  it('show that a webhook was delivered, and the result of a job of the API', async () => {
    const { baseUrl, project, origin } = flow;
    const uuid = await postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key: 'good.zip',
      urls: [{ url: origin.url('/gen/1000/1'), filename: 'a' }],
    });
    const at = { namespace: MAIN, name: `zip-${uuid}` };
    await run('Is it done?', at);
    await untilPrinted('Was its webhook delivered?', at, /^default Delivered after 1: 204 *\n/);
    const reported = ['JobCreated', 'PodActive', 'Running', 'Succeeded', 'WebhookDelivered'];
    const story = await eventsOf(at, reported);
    for (const reason of reported)
      expect(story.match(new RegExp(` ${reason} `, 'g')), reason).to.have.length(1);
    expect(await run('What is going on?', at)).to.match(
      new RegExp(`zip-${uuid} +good\\.zip +Succeeded +Uploaded +100% +1/1 `),
    );
    expect(
      await run('Which jobs write to a bucket?', { namespace: MAIN, name: project.bucketName }),
    ).to.contain(uuid);
  });

  it('find the jobs that read files from a bucket', async () => {
    const text = await run('Which jobs read files from it?', { namespace: MAIN, name: 'no-secret' });
    expect(text)
      .to.match(/^reader /)
      .and.not.match(/\n./);
  });

  it('resume a suspended job', async () => {
    const at = { namespace: MAIN, name: 'held' };
    await run('How do I resume it?', at);
    await run('Is it done?', at);
    await untilPrinted(STORY, at, / Suspended .*\n(.*\n)*.* Unsuspended /);
  });

  it('run a job again', async () => {
    const at = { namespace: MAIN, name: 'held' };
    async function uid(): Promise<string> {
      const flags = ['-n', MAIN, 'get', 'zipjob', 'held', '-o', 'jsonpath={.metadata.uid}'];
      return (await flow.cluster.kubectl(flags)).stdout;
    }
    const before = await uid();
    await run('How do I run it again?', at);
    expect(await uid()).not.to.equal(before);
    await run('How do I resume it?', at);
    await run('Is it done?', at);
  });

  it('cancel a job, so that the waiting jobs can run', async () => {
    const at = { namespace: SLOT, name: 'first' };
    await untilPrinted(WAITING, at, /Running /);
    await run('How do I cancel it?', at);
    await untilPrinted(WAITING, at, /Cancelled .* Cancelled /);
    expect(await run('Is it done?', { namespace: SLOT, name: 'second' })).to.contain('condition met');
  });

  it('suspend a job that has not started', async () => {
    await applyObjects(flow.cluster, [aZipJob(NO_JOBS, 'to-hold')]);
    const at = { namespace: NO_JOBS, name: 'to-hold' };
    await run('How do I suspend it?', at);
    await untilPrinted(WAITING, at, /Queued .* Suspended /);
  });

  it('find the jobs that are stuck', async () => {
    const text = await run('Which jobs are stuck?', { namespace: NO_JOBS });
    expect(text).to.match(/on-call-no-jobs +to-hold +Queued +Suspended/);
    const phases = text.split('\n').map((line) => line.split(/ +/)[2]);
    for (const phase of ['Succeeded', 'Failed', 'Cancelled']) expect(phases).not.to.include(phase);
  });

  it('find everything that the controller logged about a job, in few lines with their causes', async () => {
    const text = await run('What does the controller log about it?', { namespace: MAIN, name: 'not-found' });
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.length).to.be.within(3, 12);
    for (const line of lines) {
      expect(line).to.include({ controller: 'zipjob', namespace: MAIN, name: 'not-found' });
      expect(line).to.include.keys('uid', 'generation', 'reconcileId', 'level', 'message');
    }
    expect(text).to.contain('"SourceNotFound"').and.not.to.contain('CANARY');
  });

  // Keep these last: they move the clock of the controllers by an hour.
  let isLate: Promise<void> | undefined;
  const reasons: Readonly<Record<string, readonly [namespace: string, response: RegExp]>> = {
    unschedulable: [MAIN, /Unschedulable: 0\/1 nodes/],
    'no-image': [MAIN, /ImagePull: ImagePullBackOff/],
    'bad-config': [MAIN, /ContainerConfig: CreateContainerConfigError/],
    'no-secret': [MAIN, /ContainerConfig: FailedMount: .*zipbucket-s3-no-secret/],
    refused: [NO_JOBS, /QuotaExceeded: ResourceQuota "tight" has no room/],
    'no-pod': [NO_PODS, /QuotaExceeded: ResourceQuota "tight" has no room/],
    'too-large': [NO_PODS, /AdmissionRefused: .*maximum cpu usage/],
  };
  async function passDeadline(): Promise<void> {
    await time.round(START_DEADLINE_SECONDS * 1000);
    // Triggers a reconcile: the controller's timers do not follow the moved clock.
    for (const namespace of [MAIN, NO_JOBS, NO_PODS]) {
      const names = Object.keys(reasons).filter((name) => reasons[name]?.[0] === namespace);
      await flow.cluster.kubectl(['-n', namespace, 'annotate', 'zipjob', ...names, 'example.com/late=true']);
    }
  }
  for (const [name, [namespace, response]] of Object.entries(reasons))
    it(`show why a job failed that could not start: ${name} (F13)`, async () => {
      isLate ??= passDeadline();
      await isLate;
      const text = await untilPrinted(WAITING, { namespace, name }, /Failed .* StartDeadlineExceeded /);
      expect(text).to.match(response);
      await untilPrinted(STORY, { namespace, name }, /Warning +Failed .*StartDeadlineExceeded: /);
    });

  it('are all covered by these tests', () => {
    expect([...commands.used]).to.have.members([...commands.questions]);
  });
});
