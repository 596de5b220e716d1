/** Which ZipJobs the token of the API can create. */
import { expect } from 'chai';
import { toZipJob } from '#api/create/to-zip-job.ts';
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { KubeResponse } from '#test/support/clients/kube-user.ts';
import { until } from '#test/support/until.ts';
import { accept, expectRefusal, OWN, type World, zipPath } from './world.ts';

/** A project with every default that a request cannot choose. */
const PROJECT = 'violet';
/** A project without any. */
const PLAIN = 'white';
const AUDIT = 'https://audit.example.com/zips';
const EVIL = 'https://evil.example/';
const UUID = '11111111-2222-4333-8444-555555555555';

const SPEC: ZipProject['spec'] = {
  webhook: {
    url: 'https://hooks.example.com/zips',
    events: ['COMPLETED'],
    endpoints: [
      { name: 'audit', url: AUDIT, events: ['COMPLETED'] },
      { name: 'secret' },
      { name: 'silent', enabled: false },
    ],
  },
  jobDefaults: {
    queueName: 'archives',
    maxAttempts: 2,
    activeDeadlineSeconds: 3_600,
    startDeadlineSeconds: 300,
    ttlSecondsAfterFinished: { succeeded: 86_400 },
    onConflict: 'fail',
    portableNames: 'rewrite',
    duplicateNames: 'rename',
    manifestEntry: 'manifest.json',
    sequential: true,
    objectOptions: { tags: { team: 'a' } },
  },
};

let world: World;

function projectOf(namespace: string, spec: ZipProject['spec']): ZipProject {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipProject',
    metadata: { name: 'project', namespace },
    spec,
  };
}

function jobIn(project: ZipProject): ZipJob {
  return toZipJob({
    request: {
      service: 's3',
      bucketName: 'archives',
      key: 'a.zip',
      metadata: '{}',
      options: {},
      sourceBuckets: [{ zipBucket: 's3-files' }],
      list: { chunks: [Buffer.from('x')], count: 1, sha256: '0'.repeat(64) },
    } as unknown as Parameters<typeof toZipJob>[0]['request'],
    project,
    uuid: UUID,
    instance: 'zipjobs',
    acceptedAt: new Date(0),
    createdBy: 'token',
    requestId: 'request-1',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  });
}

interface Change {
  readonly metadata?: object;
  readonly spec?: object;
}

function post(job: ZipJob, { metadata, spec }: Change = {}): Promise<KubeResponse> {
  return world.api.request('POST', `${zipPath(job.metadata.namespace)}?dryRun=All`, {
    body: { ...job, metadata: { ...job.metadata, ...metadata }, spec: { ...job.spec, ...spec } },
  });
}

async function createProjects(): Promise<void> {
  for (const [name, spec] of [
    [PROJECT, SPEC],
    [PLAIN, {}],
  ] as const) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    accept(await world.admin.request('POST', '/api/v1/namespaces', { body: namespace }));
    const body = projectOf(name, spec);
    accept(await world.admin.request('POST', zipPath(name, 'zipprojects'), { body }));
  }
}

const METADATA =
  'the API may set only its own labels and annotations and the finalizer zipjobs.dev/cleanup of a ZipJob';
const TIMES = 'the API may set the queue, the attempts and the times of a ZipJob only as its ZipProject does';
const WEBHOOK = 'the API may copy only the webhook of the ZipProject into a ZipJob';
const STRICTNESS = 'the API may not create a ZipJob that is less strict than its ZipProject';

export function describeApiZipJobs(theWorld: () => World): void {
  before(async () => {
    world = theWorld();
    await createProjects();
    // The API server watches the projects that are parameters of the policy.
    await until('the projects to be parameters', async () => {
      const response = await post(jobIn(projectOf(PROJECT, SPEC)), { spec: { queueName: 'other' } });
      return response.message.includes(TIMES);
    });
  });

  it('creates what the API writes, with and without defaults of the project (N33)', async () => {
    for (const project of [projectOf(PROJECT, SPEC), projectOf(PLAIN, {}), projectOf(OWN, {})])
      accept(await post(jobIn(project)));
    accept(await post(jobIn(projectOf(PROJECT, { ...SPEC, webhook: { ...SPEC.webhook, enabled: false } }))));
    accept(await post(jobIn(projectOf(PROJECT, SPEC)), { spec: { portableNames: 'refuse' } }));
    accept(
      await post(jobIn(projectOf(PLAIN, {})), { spec: { onConflict: 'fail', portableNames: 'refuse' } }),
    );
    accept(await post(jobIn(projectOf(PLAIN, {})), { metadata: { finalizers: [] } }));
  });

  for (const [field, value] of Object.entries({
    priorityClassName: 'high',
    resources: { limits: { cpu: '64' } },
    suspend: true,
    cancel: true,
  }))
    it(`cannot set the field ${field} (N33)`, async () => {
      const response = await post(jobIn(projectOf(PLAIN, {})), { spec: { [field]: value } });
      expectRefusal(response, `the API may not set these fields of a ZipJob: ${field}`);
    });

  for (const [what, metadata] of Object.entries({
    'another finalizer': { finalizers: ['zipjobs.dev/cleanup', 'example.com/never'] },
    'the finalizer of Kubernetes': { finalizers: ['foregroundDeletion'] },
    'a command': { annotations: { 'zipjobs.dev/replay-webhook': 'x' } },
    'the mark of the controller': { annotations: { 'zipjobs.dev/accepted-uid': 'x' } },
    'the original of a rerun': { annotations: { 'zipjobs.dev/run-again-of': 'x' } },
    'an annotation of others': { annotations: { 'example.com/x': 'x' } },
    'the label of a restore': {
      labels: { 'app.kubernetes.io/managed-by': 'zipjobs-api', 'velero.io/restore-name': 'x' },
    },
    'the label of a queue': {
      labels: { 'app.kubernetes.io/managed-by': 'zipjobs-api', 'kueue.x-k8s.io/queue-name': 'x' },
    },
  }))
    it(`cannot set ${what} (N33)`, async () => {
      expectRefusal(await post(jobIn(projectOf(PLAIN, {})), { metadata }), METADATA);
    });

  const defaults = jobIn(projectOf(PROJECT, SPEC)).spec;
  function withEndpoint(endpoint: object) {
    return { ...defaults.webhook, endpoints: [endpoint] };
  }
  for (const [namespace, field, value, message] of [
    [PLAIN, 'queueName', 'expensive', TIMES],
    [PLAIN, 'maxAttempts', 5, TIMES],
    [PLAIN, 'maxAttempts', 1, TIMES],
    [PLAIN, 'startDeadlineSeconds', 86_400, TIMES],
    [PLAIN, 'activeDeadlineSeconds', 86_400, TIMES],
    [PLAIN, 'ttlSecondsAfterFinished', { succeeded: 0, failed: 0 }, TIMES],
    [PROJECT, 'queueName', 'other', TIMES],
    [PROJECT, 'queueName', undefined, TIMES],
    [PROJECT, 'maxAttempts', undefined, TIMES],
    [PROJECT, 'activeDeadlineSeconds', undefined, TIMES],
    [PROJECT, 'ttlSecondsAfterFinished', { succeeded: 1 }, TIMES],
    [PLAIN, 'webhook', { events: ['COMPLETED'] }, WEBHOOK],
    [PLAIN, 'webhook', { url: 'https://evil.example/', events: ['COMPLETED'] }, WEBHOOK],
    [PROJECT, 'webhook', { url: 'https://evil.example/', events: ['COMPLETED'] }, WEBHOOK],
    [PROJECT, 'webhook', { url: defaults.webhook?.url, events: ['COMPLETED', 'FAILED'] }, WEBHOOK],
    [PROJECT, 'webhook', { events: ['COMPLETED'] }, WEBHOOK],
    [PROJECT, 'webhook', { ...defaults.webhook, endpoints: [{ name: 'other', events: [] }] }, WEBHOOK],
    [PROJECT, 'webhook', withEndpoint({ name: 'audit', url: EVIL, events: ['COMPLETED'] }), WEBHOOK],
    [PROJECT, 'webhook', withEndpoint({ name: 'audit', events: ['COMPLETED'] }), WEBHOOK],
    [PROJECT, 'webhook', withEndpoint({ name: 'audit', url: AUDIT, events: ['FAILED'] }), WEBHOOK],
    [PROJECT, 'webhook', withEndpoint({ name: 'silent', events: ['COMPLETED'] }), WEBHOOK],
    [PROJECT, 'webhook', { events: [], url: EVIL }, WEBHOOK],
    [PROJECT, 'onConflict', 'replace', STRICTNESS],
    [PROJECT, 'onConflict', undefined, STRICTNESS],
    [PROJECT, 'portableNames', 'keep', STRICTNESS],
  ] as const)
    it(`cannot set ${field} to ${JSON.stringify(value)} ${namespace === PLAIN ? 'without a default' : 'instead of the default'} of the project (N33)`, async () => {
      const project = projectOf(namespace, namespace === PLAIN ? {} : SPEC);
      const response = await post(jobIn(project), { spec: { [field]: value } });
      expectRefusal(response, message);
      expect(response.message).to.contain('[zipjobs.dev/project-changed]');
    });

  it('restricts neither users nor the controller (N33)', async () => {
    const job = jobIn(projectOf(PLAIN, {}));
    const body = { ...job, spec: { ...job.spec, queueName: 'mine', maxAttempts: 1 } };
    accept(await world.admin.request('POST', `${zipPath(PLAIN)}?dryRun=All`, { body }));
  });
}
