/** The rules of the custom resource definitions, which the API server enforces for every client. */
import { expect } from 'chai';
import { GROUP_VERSION } from '#crds/api-group.ts';
import {
  ACCEPTED_OBJECT_OPTIONS,
  REFUSED_OBJECT_OPTIONS,
} from '#test/support/builders/refused-object-options.ts';
import { REFUSED_ROLES } from '#test/support/builders/refused-roles.ts';
import { applyObjects } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const NAMESPACE = 'crd-rules';

describe('the API server', function () {
  this.timeout(180_000);
  let cluster: Cluster;

  before(async () => {
    cluster = await sharedCluster();
    await sharedInstallation();
    await applyObjects(cluster, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]);
  });

  const aJob = (name: string, spec: Record<string, unknown> = {}) => ({
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
  });
  const run = (args: readonly string[], input?: string) =>
    cluster.kubectl([...args, '-n', NAMESPACE], {
      allowFailure: true,
      ...(input === undefined ? {} : { input }),
    });
  const create = (object: unknown) => run(['create', '-f', '-'], JSON.stringify(object));
  const patch = (target: string, change: unknown, ...more: string[]) =>
    run(['patch', ...target.split('/'), '--type=merge', '-p', JSON.stringify(change), ...more]);

  const refused: readonly [string, unknown, string][] = [
    ['a job without a file list', aJob('r1', { files: undefined }), 'set exactly one of files and filesFrom'],
    ['a name over 52 characters', aJob('r'.repeat(53)), 'at most 52 characters'],
    ['a name with a dot', aJob('a.b'), 'DNS label'],
    ['a bucket of another service than the job', aJob('r2', { service: 'r2' }), '<service>-<bucket name>'],
    ['a key with a dot segment', aJob('r3', { key: 'a/../b' }), "must not contain '.' or '..' segments"],
    ['a key over 1,024 bytes in fewer characters', aJob('r4', { key: 'é'.repeat(600) }), '1,024 bytes'],
    ['a key with a control character', aJob('r5', { key: 'a\nb' }), 'control characters'],
    ...['\u007f', '\u0080', '\u0085', '\u009f', '\t'].map((text, index): [string, unknown, string] => [
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
      const response = await create(object);
      expect(response.exitCode).not.to.equal(0);
      expect(response.stderr).to.contain(message);
    });

  for (const [what, bucket] of ACCEPTED_OBJECT_OPTIONS)
    it(`accepts ${what} (C7)`, async () => {
      const { exitCode, stderr } = await run(
        ['create', '--dry-run=server', '-f', '-'],
        JSON.stringify(bucket),
      );
      expect(exitCode, stderr).to.equal(0);
    });

  it('sets the defaults of a job', async () => {
    await create(aJob('defaults'));
    const { stdout } = await run(['get', 'zipjob', 'defaults', '-o', 'jsonpath={.spec}']);
    expect(JSON.parse(stdout)).to.deep.include({
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
    const { exitCode, stderr } = await create(aJob('queued', { queueName: `q.${'q'.repeat(61)}` }));
    expect(exitCode, stderr).to.equal(0);
  });

  it('accepts quantities as numbers and as text (X8)', async () => {
    const resources = { requests: { cpu: '500m' }, limits: { cpu: 2, memory: '1Gi' } };
    const job = await create(aJob('quantities', { resources }));
    expect(job.exitCode, job.stderr).to.equal(0);
    const project = {
      apiVersion: GROUP_VERSION,
      kind: 'ZipProject',
      metadata: { name: 'project' },
      spec: { pods: { resources } },
    };
    const dryRun = await run(['create', '--dry-run=server', '-f', '-'], JSON.stringify(project));
    expect(dryRun.exitCode, dryRun.stderr).to.equal(0);
    const bad = await create(aJob('bad-quantities', { resources: { limits: { cpu: true } } }));
    expect(bad.stderr).to.contain('limits.cpu');
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
      { sequential: true },
      { objectOptions: { cacheControl: 'no-store' } },
      { sha256: true },
      { files: [{ url: 'https://example.com/', filename: 'b' }] },
      { webhook: { url: 'https://a/', events: [] } },
    ]) {
      const response = await patch('zipjob/immutable', { spec: change });
      expect(response.stderr, JSON.stringify(change)).to.contain('cannot be changed');
    }
    expect((await patch('zipjob/immutable', { spec: { suspend: false } })).exitCode).to.equal(0);
  });

  it('refuses to undo a cancellation', async () => {
    await create(aJob('cancelled'));
    expect((await patch('zipjob/cancelled', { spec: { cancel: true } })).exitCode).to.equal(0);
    expect((await patch('zipjob/cancelled', { spec: { cancel: false } })).stderr).to.contain(
      'a cancellation cannot be undone',
    );
  });

  it('keeps a finished job finished, even if the phase or the whole status is removed (K8)', async () => {
    await create(aJob('finished'));
    const status = (value: unknown) => patch('zipjob/finished', { status: value }, '--subresource=status');
    expect((await status({ phase: 'Failed' })).exitCode).to.equal(0);
    expect((await status({ phase: 'Running' })).stderr).to.contain('cannot change its phase');
    expect((await status({ phase: null })).stderr).to.contain('cannot change its phase');
    expect((await status(null)).stderr).to.contain('cannot change its phase');
  });

  it('refuses a decrease of the progress of a pod', async () => {
    await create(aJob('progress'));
    const progress = (podUid: string, filesDone: number) => ({
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
    });
    const write = (podUid: string, filesDone: number) =>
      patch('zipjob/progress', progress(podUid, filesDone), '--subresource=status');
    expect((await write('a', 5)).exitCode).to.equal(0);
    expect((await write('a', 4)).stderr).to.contain('must not decrease');
    expect((await write('b', 1)).exitCode).to.equal(0);
  });

  it('refuses changes to a token', async () => {
    const token = {
      apiVersion: GROUP_VERSION,
      kind: 'ZipToken',
      metadata: { name: 'token' },
      spec: { sha256: '0'.repeat(64), masked: 'zj_a...wxyz', permissions: ['read'] },
    };
    expect((await create(token)).exitCode).to.equal(0);
    expect((await patch('ziptoken/token', { spec: { permissions: ['read', 'create'] } })).stderr).to.contain(
      'cannot be changed',
    );
  });

  it('selects jobs by bucket and phase', async () => {
    const created = await create(aJob('selected', { bucketRef: { name: 's3-selected' } }));
    expect(created.exitCode, created.stderr).to.equal(0);
    const { stdout } = await run([
      'get',
      'zj',
      '--field-selector',
      'spec.bucketRef.name=s3-selected',
      '-o',
      'name',
    ]);
    expect(stdout.trim()).to.equal('zipjob.zipjobs.dev/selected');
  });
});
