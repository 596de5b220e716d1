/** The rules of the custom resource definitions, which the API server enforces for every client. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { GROUP_VERSION, type Kind, PLURALS } from '#crds/api-group.ts';
import {
  ACCEPTED_OBJECT_OPTIONS,
  REFUSED_OBJECT_OPTIONS,
} from '#test/support/builders/refused-object-options.ts';
import { REFUSED_ROLES } from '#test/support/builders/refused-roles.ts';
import { type KubeResponse, type KubeUser, signIn } from '#test/support/clients/kube-user.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Manifest } from '#tools/local-cluster/cluster-types.ts';

const NAMESPACE = 'crd-rules';

describe('the API server', function () {
  this.timeout(180_000);
  let admin: KubeUser;
  const life = new AsyncDisposableStack();

  before(async () => {
    const cluster = await sharedCluster();
    await sharedInstallation();
    admin = life.use(await signIn(cluster));
    await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]);
  });
  after(() => life.disposeAsync());

  function aJob(name: string, spec: Record<string, unknown> = {}) {
    return {
      apiVersion: GROUP_VERSION,
      kind: 'ZipJob',
      metadata: { namespace: NAMESPACE, name },
      spec: {
        bucketRef: { name: 's3-bucket' },
        key: 'a.zip',
        files: [{ url: 'https://example.com/', filename: 'a' }],
        suspend: true,
        ...spec,
      },
    };
  }
  function pathOf(kind: string): string {
    return `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/${PLURALS[kind as Kind]}`;
  }
  function create(body: Manifest, query = ''): Promise<KubeResponse> {
    return admin.request('POST', `${pathOf(body.kind)}?fieldValidation=Strict${query}`, { body });
  }
  function tryToCreate(body: Manifest): Promise<KubeResponse> {
    return create(body, '&dryRun=All');
  }
  function patch(job: string, body: object): Promise<KubeResponse> {
    return admin.request('PATCH', `${pathOf('ZipJob')}/${job}`, { body });
  }
  function expectAccepted({ status, message }: KubeResponse): void {
    expect(status, message).to.be.within(200, 201);
  }
  function expectRefused({ status, message }: KubeResponse, says: string, what = ''): void {
    // Kubernetes 1.32 writes the type of the value before the message.
    expect(message.replaceAll('Invalid value: "object": ', 'Invalid value: '), what).to.contain(says);
    expect(status, what).to.be.oneOf([400, 422]);
  }

  const refused: readonly [string, Manifest, string][] = [
    ['a job without a file list', aJob('r1', { files: undefined }), 'set exactly one of files and filesFrom'],
    ['a name over 52 characters', aJob('r'.repeat(53)), 'at most 52 characters'],
    ['a name with a dot', aJob('a.b'), 'DNS label'],
    ['a bucket of another service than the job', aJob('r2', { service: 'r2' }), '<service>-<bucket name>'],
    ['a key with a dot segment', aJob('r3', { key: 'a/../b' }), "must not contain '.' or '..' segments"],
    ['a key over 1,024 bytes in fewer characters', aJob('r4', { key: 'é'.repeat(600) }), '1,024 bytes'],
    ['a key with a control character', aJob('r5', { key: 'a\nb' }), 'control characters'],
    ...['\u007f', '\u0080', '\u0085', '\u009f', '\t'].map((text, index): [string, Manifest, string] => [
      `a key with the control character U+00${text.charCodeAt(0).toString(16).padStart(2, '0')} (N26)`,
      aJob(`r5${index}`, { key: `a${text}b` }),
      'control characters',
    ]),
    ['a queue whose name is too long for a label', aJob('r7', { queueName: 'q'.repeat(64) }), 'queueName'],
    ['a queue whose name has a space', aJob('r8', { queueName: 'my queue' }), 'queueName'],
    [
      'a project whose queue is not a valid label',
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipProject',
        metadata: { name: 'project' },
        spec: { jobDefaults: { queueName: 'q'.repeat(64) } },
      },
      'queueName',
    ],
    [
      '501 inline files',
      aJob('r6', { files: Array.from({ length: 501 }, () => ({ url: 'https://a/', filename: 'a' })) }),
      'at most 500',
    ],
    [
      'a bucket whose name does not contain its service and bucket name',
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { name: 'mine' },
        spec: { service: 's3', bucketName: 'abc', region: 'eu-west-1' },
      },
      '<service>-<bucketName>',
    ],
    [
      'an r2 bucket without host and account',
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { name: 'r2-abc' },
        spec: { service: 'r2', bucketName: 'abc' },
      },
      'host and accountId',
    ],
    ...REFUSED_OBJECT_OPTIONS,
    [
      'an s3 bucket without a region',
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { name: 's3-abc' },
        spec: { service: 's3', bucketName: 'abc' },
      },
      'region',
    ],
    ...REFUSED_ROLES,
    [
      'a second project in a namespace',
      { apiVersion: GROUP_VERSION, kind: 'ZipProject', metadata: { name: 'another' }, spec: {} },
      "named 'project'",
    ],
  ];
  for (const [what, object, message] of refused)
    it(`refuses ${what}`, async () => {
      expectRefused(await create(object), message);
    });

  for (const [what, bucket] of ACCEPTED_OBJECT_OPTIONS)
    it(`accepts ${what} (C7)`, async () => {
      expectAccepted(await tryToCreate(bucket));
    });

  it('accepts the examples of Artifact Hub, one of each kind that users write (Q-P11)', async () => {
    const chart = parse(readFileSync('charts/zipjobs/Chart.yaml', 'utf8')) as {
      readonly annotations: Readonly<Record<string, string>>;
    };
    const examples = parse(chart.annotations['artifacthub.io/crdsExamples'] ?? '') as readonly Manifest[];
    expect(examples.map(({ kind }) => kind)).to.have.members(['ZipProject', 'ZipBucket']);
    for (const example of examples)
      expectAccepted(
        await tryToCreate({ ...example, metadata: { ...example.metadata, namespace: NAMESPACE } }),
      );
  });

  it('sets the defaults of a job', async () => {
    const { body } = await create(aJob('defaults'));
    expect(body['spec']).to.deep.include({
      service: 's3',
      metadata: '{}',
      compression: 'store',
      onSourceError: 'Fail',
      maxAttempts: 4,
      startDeadlineSeconds: 600,
      cancel: false,
    });
  });

  it('accepts the longest name of a queue that fits in a label', async () => {
    expectAccepted(await create(aJob('queued', { queueName: `q.${'q'.repeat(61)}` })));
  });

  it('accepts quantities as numbers and as text (X8)', async () => {
    const resources = { requests: { cpu: '500m' }, limits: { cpu: 2, memory: '1Gi' } };
    expectAccepted(await create(aJob('quantities', { resources })));
    const project = {
      apiVersion: GROUP_VERSION,
      kind: 'ZipProject',
      metadata: { name: 'project' },
      spec: { pods: { resources } },
    };
    expectAccepted(await tryToCreate(project));
    const bad = aJob('bad-quantities', { resources: { limits: { cpu: true } } });
    expectRefused(await create(bad), 'limits.cpu');
  });

  it('allows changes only to suspend and cancel of a job', async () => {
    await create(aJob('immutable', { activeDeadlineSeconds: 60 }));
    for (const change of [
      { key: 'b.zip' },
      { metadata: '{"a":1}' },
      { bucketRef: { name: 's3-other' } },
      { activeDeadlineSeconds: 61 },
      { activeDeadlineSeconds: null },
      { manifestEntry: 'm' },
      { manifestFormat: 'bagit' },
      { fixedModificationTime: '2026-01-01T00:00:00Z' },
      { ttlSecondsAfterFinished: { failed: 1 } },
      { priorityClassName: 'high' },
      { resources: {} },
      { queueName: 'q' },
      { maxAttempts: 1 },
      { startDeadlineSeconds: 5 },
      { compression: 'deflate' },
      { onSourceError: 'Skip' },
      { onConflict: 'fail' },
      { portableNames: 'refuse' },
      { duplicateNames: 'rename' },
      { sequential: true },
      { objectOptions: { cacheControl: 'no-store' } },
      { sha256: true },
      { files: [{ url: 'https://example.com/', filename: 'b' }] },
      { webhook: { url: 'https://a/', events: [] } },
    ])
      expectRefused(await patch('immutable', { spec: change }), 'cannot be changed', JSON.stringify(change));
    expectAccepted(await patch('immutable', { spec: { suspend: false } }));
  });

  it('refuses to undo a cancellation', async () => {
    await create(aJob('cancelled'));
    expectAccepted(await patch('cancelled', { spec: { cancel: true } }));
    expectRefused(await patch('cancelled', { spec: { cancel: false } }), 'a cancellation cannot be undone');
  });

  it('keeps a finished job finished, even if the phase or the whole status is removed (K8)', async () => {
    await create(aJob('finished'));
    function write(status: unknown) {
      return patch('finished/status', { status });
    }
    expectAccepted(await write({ phase: 'Failed' }));
    for (const status of [{ phase: 'Running' }, { phase: null }, null])
      expectRefused(await write(status), 'cannot change its phase', JSON.stringify(status));
  });

  it('refuses a decrease of the progress of a pod', async () => {
    await create(aJob('progress'));
    function progress(podUid: string, filesDone: number) {
      return {
        status: {
          progress: {
            podUid,
            filesDone,
            filesTotal: 9,
            bytesRead: 1,
            bytesUploaded: 1,
            display: `${filesDone}/9`,
            updatedAt: '2026-01-01T00:00:00Z',
          },
        },
      };
    }
    function write(podUid: string, filesDone: number) {
      return patch('progress/status', progress(podUid, filesDone));
    }
    expectAccepted(await write('a', 5));
    expectRefused(await write('a', 4), 'must not decrease');
    expectAccepted(await write('b', 1));
  });

  it('refuses changes to a token', async () => {
    const token = {
      apiVersion: GROUP_VERSION,
      kind: 'ZipToken',
      metadata: { name: 'token' },
      spec: { sha256: '0'.repeat(64), masked: 'zj_a...wxyz', permissions: ['read'] },
    };
    expectAccepted(await create(token));
    const body = { spec: { permissions: ['read', 'create'] } };
    const changed = await admin.request('PATCH', `${pathOf('ZipToken')}/token`, { body });
    expectRefused(changed, 'cannot be changed');
  });

  it('selects jobs by bucket and phase', async () => {
    expectAccepted(await create(aJob('selected', { bucketRef: { name: 's3-selected' } })));
    expectAccepted(await patch('selected/status', { status: { phase: 'Failed' } }));
    async function select(phase: string): Promise<readonly string[]> {
      const selector = encodeURIComponent(`spec.bucketRef.name=s3-selected,status.phase=${phase}`);
      const { body } = await admin.request('GET', `${pathOf('ZipJob')}?fieldSelector=${selector}`);
      return (body as { readonly items: readonly Manifest[] }).items.map(({ metadata }) => metadata.name);
    }
    expect([await select('Failed'), await select('Running')]).to.deep.equal([['selected'], []]);
  });
});
