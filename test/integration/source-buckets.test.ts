/** Jobs whose files are objects in buckets of the project. */
import { expect } from 'chai';
import { bucketResourceName, bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type BucketReader, createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { applyObjects } from '#test/support/worlds/project.ts';

const NAMESPACE = 'source-buckets';
const KEYS = ['a b/ü.bin', 'what?x=1#y', '100%/%2e%2e', '/lead//double', "quotes'(*)!", 'plus+and&'];
/** More than is read of a file by one request. */
const LARGE_BYTES = 40 * 1024 * 1024;

describe('a job of files in buckets', function () {
  this.timeout(300_000);
  let flow: Flow;
  const readers: BucketReader[] = [];
  before(async () => {
    flow = await startFlow(NAMESPACE);
  });
  after(async () => {
    for (const reader of readers) reader[Symbol.dispose]();
    await flow[Symbol.asyncDispose]();
  });

  async function setKeys(name: string, secretAccessKey = flow.cluster.store.secretAccessKey): Promise<void> {
    await applyObjects(flow.cluster, [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: NAMESPACE, name: bucketSecretName(bucketResourceName('s3', name)) },
        stringData: { accessKeyId: flow.cluster.store.accessKeyId, secretAccessKey },
      },
    ]);
  }

  /** A ZipBucket, by default of a bucket that exists and can be read. */
  async function makeBucket(
    name: string,
    { exists = true, ...spec }: Partial<ZipBucket['spec']> & { readonly exists?: boolean } = {},
  ): Promise<BucketReader> {
    const { store } = flow.cluster;
    if (exists) await flow.cluster.createBucket(name);
    await setKeys(name);
    await applyObjects(flow.cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { namespace: NAMESPACE, name: bucketResourceName('s3', name) },
        spec: {
          service: 's3',
          bucketName: name,
          region: store.region,
          endpoint: store.endpoint,
          readable: true,
          ...spec,
        },
      },
    ]);
    const reader = createBucketReader(store, name);
    readers.push(reader);
    return reader;
  }

  async function failureOf(uuid: string) {
    const { status } = await flow.project.untilPhase(uuid, ['Failed'], 250_000);
    return { reason: status?.reason, message: status?.failure?.message ?? status?.message };
  }

  it('has objects of two buckets between URLs, in order and byte for byte, whatever their keys are (SB8)', async () => {
    const [one, two] = await Promise.all([makeBucket('sources-one'), makeBucket('sources.two')]);
    const expected = new Map<string, Buffer>();
    const urls: { url: string; filename: string }[] = [];
    for (const [n, key] of KEYS.entries()) {
      const body = generatedBytes(1_000 + n, n);
      await (n % 2 === 0 ? one : two).put(key, body);
      urls.push({
        url: `s3://${n % 2 === 0 ? 'sources-one' : 'sources.two'}/${key}`,
        filename: `object-${n}`,
      });
      urls.push({ url: flow.origin.url(`/gen/${2_000 + n}/${n}`), filename: `url-${n}` });
      expected.set(`object-${n}`, body).set(`url-${n}`, generatedBytes(2_000 + n, n));
    }
    const large = generatedBytes(LARGE_BYTES, 99);
    await one.put('large.bin', large);
    urls.push({ url: 's3://sources-one/large.bin', filename: 'large.bin' });
    expected.set('large.bin', large);
    const uuid = await flow.post(urls);
    const job = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
    expect(job.status?.phase, job.status?.message).to.equal('Succeeded');
    expect(job.spec.sourceBuckets).to.deep.equal(['s3-sources-one', 's3-sources.two']);
    const entries = await zipEntries(await flow.project.bucket.bytes(job.spec.key));
    expect(entries.map(({ name }) => name)).to.deep.equal(urls.map(({ filename }) => filename));
    for (const { name, content } of entries)
      expect(content.equals(expected.get(name) ?? Buffer.of()), name).to.equal(true);
    // Nobody else needs them, and their bucket is free again.
    await until('the buckets to be unused', async () => {
      const { status } = await flow.cluster.read<ZipBucket>(
        `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/zipbuckets/s3-sources-one`,
      );
      return status?.activeJobs === 0;
    });
  });

  it('fails with codes of its own, and names no key (SB9)', async () => {
    await makeBucket('sources-empty');
    await makeBucket('sources-absent', { exists: false });
    await makeBucket('sources-refused');
    await setKeys('sources-refused', 'wrong');
    const cases = [
      ['sources-empty', 'SourceNotFound', 'status 404'],
      [
        'sources-absent',
        'SourceBucketNotFound',
        'bucket s3-sources-absent responded with status 404 (NoSuchBucket)',
      ],
      ['sources-refused', 'SourceCredentialsInvalid', 'replace its credentials'],
    ] as const;
    // The zipper waits two minutes for other keys before it gives up.
    await Promise.all(
      cases.map(async ([name, reason, text]) => {
        const failure = await failureOf(await flow.post([{ url: `s3://${name}/secret-key`, filename: 'a' }]));
        expect(failure, name).to.include({ reason });
        expect(failure.message).to.contain(text).and.not.contain('secret-key');
      }),
    );
  });

  it('reads new keys of the Secret while it runs (SB10)', async () => {
    const reader = await makeBucket('sources-rotated');
    await reader.put('a', Buffer.from('rotated'));
    await setKeys('sources-rotated', 'outdated');
    const held = flow.hold();
    const uuid = await flow.post([
      { url: held.url, filename: 'held' },
      { url: 's3://sources-rotated/a', filename: 'a' },
    ]);
    await flow.project.untilPhase(uuid, ['Running']);
    await setKeys('sources-rotated');
    held.release();
    await flow.project.untilPhase(uuid, ['Succeeded']);
  });

  it('ends with a reason of its own if one of its buckets is deleted, and keeps it from being deleted by mistake (SB7)', async () => {
    await (await makeBucket('sources-leaving')).put('a', Buffer.from('a'));
    const held = flow.hold();
    const uuid = await flow.post([
      { url: held.url, filename: 'held' },
      { url: 's3://sources-leaving/a', filename: 'a' },
    ]);
    await flow.project.untilPhase(uuid, ['Running']);
    const name = 's3-sources-leaving';
    await until('the bucket to count the job', async () => {
      const refusal = await flow.kubectl('delete', 'zipbucket', name, '--dry-run=server').catch(String);
      return refusal.includes('unfinished ZipJobs use this ZipBucket');
    });
    await flow.kubectl('annotate', 'zipbucket', name, 'zipjobs.dev/force-delete=true');
    await flow.kubectl('delete', 'zipbucket', name, '--wait=false');
    expect((await failureOf(uuid)).reason).to.equal('SourceBucketDeleted');
    held.release();
  });

  /** As a user does with kubectl. */
  async function create(name: string, url: string, more: object): Promise<void> {
    await applyObjects(flow.cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipJob',
        metadata: { namespace: NAMESPACE, name },
        spec: {
          bucketRef: { name: bucketResourceName('s3', flow.project.bucketName) },
          key: `${name}.zip`,
          files: [{ url, filename: 'a' }],
          ...more,
        },
      },
    ]);
  }
  function endOf(name: string): Promise<string> {
    return flow.kubectl('get', 'zipjob', name, '-o', 'jsonpath={.status.phase} {.status.reason}');
  }

  it('does not start once a bucket is no longer readable (SB5)', async () => {
    await makeBucket('sources-closed');
    await create('closed', 's3://sources-closed/a', { sourceBuckets: ['s3-sources-closed'], suspend: true });
    await until('the job to be accepted', async () => (await endOf('closed')) === 'Queued Suspended');
    for (const [object, spec] of [
      ['zipbucket/s3-sources-closed', { readable: false }],
      ['zipjob/closed', { suspend: false }],
    ] as const)
      await flow.kubectl('patch', object, '--type=merge', '-p', JSON.stringify({ spec }));
    await until('the job to fail', async () => (await endOf('closed')) === 'Failed SourceBucketNotReadable');
  });

  it('of kubectl lists its buckets itself (SB11)', async () => {
    const reader = await makeBucket('sources-listed');
    await reader.put('a', Buffer.from('listed'));
    const url = 's3://sources-listed/a';
    await create('listed', url, { sourceBuckets: ['s3-sources-listed'] });
    await create('unlisted', url, {});
    await until('the job with the bucket to succeed', async () =>
      (await endOf('listed')).startsWith('Succeeded'),
    );
    await until(
      'the job without the bucket to fail',
      async () => (await endOf('unlisted')) === 'Failed SourceBucketMisconfigured',
    );
    const [entry] = await zipEntries(await flow.project.bucket.bytes('listed.zip'));
    expect(entry?.content.toString()).to.equal('listed');
  });
});
