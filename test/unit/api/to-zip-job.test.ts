import { expect } from 'chai';
import { requestSha256, toFileListSecrets, toZipJob, type ZipJobInput } from '#api/to-zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/optional.ts';
import { aProject } from '#test/support/servers/api-server.ts';

const REQUEST = {
  bucketName: 'archive',
  service: 'r2',
  key: 'a.zip',
  files: [{ url: 'https://h.example.com/', filename: 'a' }],
  metadata: '{"n":1.0}',
} as const;
const LIST = { chunks: [Buffer.from('one'), Buffer.from('two')], count: 2, sha256: 'c0ffee' };
const UUID = '6f1c1f0e-1111-4000-8000-000000000000';

const make = (spec: ZipProject['spec'] = {}, request: ZipJobInput['request'] = REQUEST) =>
  toZipJob({
    request,
    list: LIST,
    project: aProject('team-a', spec),
    uuid: UUID,
    instance: 'demo',
    acceptedAt: new Date('2026-01-02T03:04:05Z'),
    createdBy: 'laptop',
    requestId: 'r-1',
  });

describe('toZipJob', () => {
  it('stores the request without its URLs', () => {
    expect(make()).to.deep.equal({
      apiVersion: 'zipjobs.dev/v1alpha1',
      kind: 'ZipJob',
      metadata: {
        name: `zip-${UUID}`,
        namespace: 'team-a',
        labels: {
          'app.kubernetes.io/name': 'zipjobs',
          'app.kubernetes.io/instance': 'demo',
          'app.kubernetes.io/component': 'archive',
          'app.kubernetes.io/part-of': 'zipjobs',
          'app.kubernetes.io/managed-by': 'zipjobs-api',
        },
        finalizers: ['zipjobs.dev/cleanup'],
        annotations: {
          'zipjobs.dev/accepted-at': '2026-01-02T03:04:05.000Z',
          'zipjobs.dev/request-sha256': requestSha256(REQUEST, LIST),
          'zipjobs.dev/file-list-bytes': '6',
          'zipjobs.dev/created-by': 'laptop',
          'zipjobs.dev/request-id': 'r-1',
        },
      },
      spec: {
        bucketRef: { name: 'r2-archive' },
        service: 'r2',
        key: 'a.zip',
        filesFrom: {
          secretNames: [`zip-${UUID}-files-0`, `zip-${UUID}-files-1`],
          encoding: 'gzip+json',
          count: 2,
          sha256: 'c0ffee',
        },
        metadata: '{"n":1.0}',
      },
    });
  });

  it('applies the known defaults of the project', () => {
    const { spec } = make({
      jobDefaults: {
        compression: 'auto',
        onSourceError: 'Skip',
        portableNames: 'sideways',
        activeDeadlineSeconds: 60,
        maxAttempts: 2,
        startDeadlineSeconds: 30,
        ttlSecondsAfterFinished: { failed: 90_000 },
        manifestEntry: 'contents.json',
        queueName: 'night',
      },
    });
    expect(spec).to.deep.include({
      compression: 'auto',
      onSourceError: 'Skip',
      activeDeadlineSeconds: 60,
      maxAttempts: 2,
      startDeadlineSeconds: 30,
      ttlSecondsAfterFinished: { failed: 90_000 },
      manifestEntry: 'contents.json',
      queueName: 'night',
    });
    expect(spec).to.not.have.property('portableNames');
  });

  for (const [request, project, expected] of [
    [undefined, undefined, undefined],
    [undefined, true, true],
    [true, undefined, true],
    [false, true, false],
    [true, false, true],
  ])
    it(`takes sequential ${request} of the request before ${project} of the project (F31)`, () => {
      const { spec } = make(
        { jobDefaults: defined({ sequential: project }) },
        { ...REQUEST, ...defined({ sequential: request }) },
      );
      expect(spec.sequential).to.equal(expected);
    });

  const url = 'https://hooks.example.com/';
  const webhooks: readonly { name: string; given: ZipProject['spec']['webhook']; want: unknown }[] = [
    { name: 'none', given: undefined, want: undefined },
    { name: 'one with defaults', given: { url }, want: { url, events: ['COMPLETED', 'FAILED'] } },
    {
      name: 'one for some events',
      given: { url, events: ['COMPLETED'], enabled: true },
      want: { url, events: ['COMPLETED'] },
    },
    { name: 'one with its URL in the Secret (N15)', given: {}, want: { events: ['COMPLETED', 'FAILED'] } },
    { name: 'one that is disabled', given: { url, enabled: false }, want: undefined },
    { name: 'one for no event', given: { url, events: [] }, want: undefined },
  ];
  for (const { name, given, want } of webhooks) {
    it(`copies the current webhook of the project: ${name}`, () => {
      expect(make(given === undefined ? {} : { webhook: given }).spec.webhook).to.deep.equal(want);
    });
  }
});

describe('requestSha256', () => {
  it('changes with every part of the request', () => {
    const hashes = [
      requestSha256(REQUEST, LIST),
      requestSha256({ ...REQUEST, key: 'b.zip' }, LIST),
      requestSha256({ ...REQUEST, service: 's3' }, LIST),
      requestSha256({ ...REQUEST, bucketName: 'other' }, LIST),
      requestSha256({ ...REQUEST, metadata: '{"n":1}' }, LIST),
      requestSha256(REQUEST, { ...LIST, sha256: 'beef' }),
      requestSha256({ ...REQUEST, sequential: true }, LIST),
      requestSha256({ ...REQUEST, sequential: false }, LIST),
    ];
    expect(new Set(hashes).size).to.equal(hashes.length);
  });
});

describe('toFileListSecrets', () => {
  it('creates one immutable Secret per chunk, owned by the job', () => {
    const job = make();
    const owner = { ...job, metadata: { ...job.metadata, uid: 'u-1' } };
    const secrets = toFileListSecrets(owner, LIST, 'demo').toArray();
    expect(secrets.map(({ metadata }) => metadata.name)).to.deep.equal(job.spec.filesFrom?.secretNames);
    expect(secrets[1]).to.deep.include({
      type: 'Opaque',
      immutable: true,
      data: { 'files.jsonl.gz': Buffer.from('two').toString('base64') },
    });
    expect(secrets[1]?.metadata).to.deep.include({
      namespace: 'team-a',
      ownerReferences: [
        { apiVersion: 'zipjobs.dev/v1alpha1', kind: 'ZipJob', name: job.metadata.name, uid: 'u-1' },
      ],
    });
    expect(secrets[1]?.metadata.labels).to.include({ 'app.kubernetes.io/component': 'file-list' });
  });
});
