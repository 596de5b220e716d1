import { expect } from 'chai';
import { requestSha256, toFileListSecrets, toZipJob, type ZipJobInput } from '#api/create/to-zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { aProject } from '#test/support/servers/api-server.ts';

const LIST = { chunks: [Buffer.from('one'), Buffer.from('two')], count: 2, sha256: 'c0ffee' };
const REQUEST = {
  bucketName: 'archive',
  service: 'r2',
  key: 'a.zip',
  list: LIST,
  sourceBuckets: [],
  statedBytes: 0,
  metadata: '{"n":1.0}',
  options: {},
} as const;
const UUID = '6f1c1f0e-1111-4000-8000-000000000000';

function make(spec: ZipProject['spec'] = {}, request: ZipJobInput['request'] = REQUEST) {
  return toZipJob({
    request,
    project: aProject('team-a', spec),
    uuid: UUID,
    instance: 'demo',
    acceptedAt: new Date('2026-01-02T03:04:05Z'),
    createdBy: 'laptop',
    requestId: 'r-1',
  });
}

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
          'zipjobs.dev/request-sha256': requestSha256(REQUEST),
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
        { ...REQUEST, options: defined({ sequential: request }) },
      );
      expect(spec.sequential).to.equal(expected);
    });

  it('takes every option of the request before the defaults of the project (C2)', () => {
    const jobDefaults = {
      compression: 'auto',
      onSourceError: 'Skip',
      portableNames: 'rewrite',
      duplicateNames: 'refuse',
      onConflict: 'replace',
      sha256: true,
      fixedModificationTime: '2020-01-01T00:00:00Z',
    };
    const options = {
      compression: 'deflate',
      onSourceError: 'Placeholder',
      portableNames: 'refuse',
      duplicateNames: 'rename',
      onConflict: 'fail',
      sha256: false,
      fixedModificationTime: '2026-01-01T00:00:00.000Z',
    } as const;
    expect(make({ jobDefaults }).spec).to.deep.include(jobDefaults);
    expect(make({ jobDefaults }, { ...REQUEST, options }).spec).to.deep.include(options);
  });

  it('overrides the options of the object of the project one by one, and metadata and tags by name', () => {
    const jobDefaults = { objectOptions: { cacheControl: 'no-store', tags: { a: '1' } } };
    const options = { objectOptions: { tags: { b: '2' }, contentType: 'a/b' } };
    expect(make({ jobDefaults }).spec.objectOptions).to.deep.equal(jobDefaults.objectOptions);
    expect(make({ jobDefaults }, { ...REQUEST, options }).spec.objectOptions).to.deep.equal({
      cacheControl: 'no-store',
      tags: { a: '1', b: '2' },
      contentType: 'a/b',
    });
  });

  it('names the manifest as the project does, or else manifest.json', () => {
    const request = { ...REQUEST, options: { manifest: 'json' } } as const;
    expect(make({}, request).spec.manifestEntry).to.equal('manifest.json');
    expect(make({ jobDefaults: { manifestEntry: 'm' } }, request).spec.manifestEntry).to.equal('m');
    expect(make({}, request).spec).to.not.have.property('manifest');
  });

  for (const { manifest, jobDefaults, want } of [
    { jobDefaults: { manifestFormat: 'bagit', manifestEntry: 'm' }, want: { manifestFormat: 'bagit' } },
    { jobDefaults: { manifestFormat: 'sideways', manifestEntry: 'm' }, want: { manifestEntry: 'm' } },
    { jobDefaults: { manifestFormat: 'json' }, want: {} },
    { manifest: 'json', jobDefaults: { manifestFormat: 'bagit' }, want: { manifestEntry: 'manifest.json' } },
    { manifest: 'sha256sum', jobDefaults: { manifestEntry: 'm' }, want: { manifestFormat: 'sha256sum' } },
    { manifest: 'bagit', jobDefaults: {}, want: { manifestFormat: 'bagit' } },
  ] as const)
    it(`takes the manifest ${manifest} of the request before ${JSON.stringify(jobDefaults)}`, () => {
      const { spec } = make({ jobDefaults }, { ...REQUEST, options: defined({ manifest }) });
      const { manifestEntry, manifestFormat } = spec;
      expect(defined({ manifestEntry, manifestFormat })).to.deep.equal(want);
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
    {
      name: 'several endpoints, without those that are disabled',
      given: {
        url,
        endpoints: [
          { name: 'a', url },
          { name: 'b', events: ['FAILED'] },
          { name: 'c', enabled: false },
        ],
      },
      want: {
        url,
        events: ['COMPLETED', 'FAILED'],
        endpoints: [
          { name: 'a', url, events: ['COMPLETED', 'FAILED'] },
          { name: 'b', events: ['FAILED'] },
        ],
      },
    },
    {
      name: 'another endpoint while the default one is disabled',
      given: { url, enabled: false, endpoints: [{ name: 'a' }] },
      want: { events: [], endpoints: [{ name: 'a', events: ['COMPLETED', 'FAILED'] }] },
    },
  ];
  for (const { name, given, want } of webhooks) {
    it(`copies the current webhook of the project: ${name}`, () => {
      expect(make(given === undefined ? {} : { webhook: given }).spec.webhook).to.deep.equal(want);
    });
  }
});

describe('requestSha256', () => {
  it('is the one of earlier versions for a request without options or with sequential', () => {
    expect(requestSha256(REQUEST)).to.equal(
      'e408b0acd8d53a627c52757fb85bc4b32be6d7c9c1a054c2ce258496c6da89a7',
    );
    expect(requestSha256({ ...REQUEST, options: { sequential: true } })).to.equal(
      '882b960371bed03936ce0341b6b0884f55cda40430877d0fa1fec20d232e3839',
    );
  });

  it('changes with every part of the request', () => {
    const hashes = [
      requestSha256(REQUEST),
      requestSha256({ ...REQUEST, key: 'b.zip' }),
      requestSha256({ ...REQUEST, service: 's3' }),
      requestSha256({ ...REQUEST, bucketName: 'other' }),
      requestSha256({ ...REQUEST, metadata: '{"n":1}' }),
      requestSha256({ ...REQUEST, list: { ...LIST, sha256: 'beef' } }),
      requestSha256({ ...REQUEST, options: { sequential: true } }),
      requestSha256({ ...REQUEST, options: { sequential: false } }),
      requestSha256({ ...REQUEST, options: { sha256: true } }),
      requestSha256({ ...REQUEST, options: { manifest: 'json' } }),
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
