/** Zipper processes with buckets of service r2, at a real S3 server that enforces the rules of R2. */
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  PutObjectTaggingCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { TerminationMessage } from '#crds/termination-message.ts';
import type { Failure } from '#crds/zip-job.ts';
import type { ArchiveTask, TaskBucket } from '#crds/zipper-task.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type BucketReader, createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { runZipper, ZipperHost } from '#test/support/processes/zipper-process.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type R2Store, startR2Store } from '#test/support/servers/r2-store.ts';
import { startFaultProxy } from '#tools/local-cluster/fault-proxy.ts';

const BUCKET = 'archives';
const MIB = 1024 * 1024;
const PART = 5 * MIB;

describe('a bucket of service r2', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let r2: R2Store;
  let host: ZipperHost;
  let origin: FileOrigin;
  let reader: BucketReader;
  before(async () => {
    r2 = life.use(await startR2Store(BUCKET));
    host = life.use(await ZipperHost.start());
    origin = life.use(await startFileOrigin());
    reader = life.use(createBucketReader(r2.store, BUCKET));
  });
  beforeEach(() => r2.rules.reset());
  after(() => life.disposeAsync());

  interface Ended {
    readonly code: number | null;
    readonly failure: Failure | undefined;
  }
  /** Runs a zipper with this task until it ends. */
  async function run(
    key: string,
    urls: readonly string[],
    { bucket = {}, ...task }: Partial<Omit<ArchiveTask, 'bucket'>> & { bucket?: Partial<TaskBucket> } = {},
  ): Promise<Ended> {
    const program = await host.prepare({
      endpoint: '',
      bucket: BUCKET,
      key,
      accessKeyId: r2.store.accessKeyId,
      secretAccessKey: r2.store.secretAccessKey,
      files: urls.map((url, index) => ({ url: origin.url(url), filename: `${index}.bin` })),
      task: { ...task, bucket: { service: 'r2', name: BUCKET, host: r2.host, ...bucket } },
      env: { PART_SIZE_BYTES: String(PART), NODE_EXTRA_CA_CERTS: r2.caFile },
    });
    const ended = await runZipper(program);
    const message = JSON.parse(ended.message) as TerminationMessage;
    return { code: ended.code, failure: 'failure' in message ? message.failure : undefined };
  }

  for (const [mood, refusesChecksums] of [
    ['with CRC-32', false],
    ['with Content-MD5, because it refuses to be asked for CRC-32', true],
  ] as const)
    it(`gets parts ${mood} of one size and a shorter last part, whatever the sizes of the files (U13) (U15)`, async () => {
      r2.rules.refusesChecksums = refusesChecksums;
      const sizes = [1, 7 * MIB, 3 * MIB + 1, 0, PART, 1_234_567];
      const { code, failure } = await run(
        'many.zip',
        sizes.map((bytes, index) => `/gen/${bytes}/${index}`),
      );
      expect(code, JSON.stringify(failure)).to.equal(EXIT_CODES.ok);
      const parts = r2.rules.completed.at(-1) ?? [];
      expect(parts.length).to.be.greaterThan(3);
      expect(parts.slice(0, -1).every((bytes) => bytes === PART)).to.equal(true);
      expect(await reader.size('many.zip')).to.equal(parts.reduce((sum, bytes) => sum + bytes, 0));
      expect(r2.rules.checksums).to.deep.equal([refusesChecksums ? 'content-md5' : 'x-amz-checksum-crc32']);
      expect(r2.rules.refusals).to.deep.equal(
        refusesChecksums
          ? ["NotImplemented: Header 'x-amz-checksum-algorithm' with value 'CRC32' not implemented"]
          : [],
      );
      expect(await reader.openUploads()).to.deep.equal([]);
    });

  it('gets a small archive as one part, and keeps an existing object if the job requires it (U15) (U16)', async () => {
    const first = await run('small.zip', ['/gen/1000/1'], { onConflict: 'fail' });
    expect(first.code, JSON.stringify(first.failure)).to.equal(EXIT_CODES.ok);
    expect(r2.rules.completed.at(-1)).to.have.length(1);
    const before = await reader.bytes('small.zip');
    const second = await run('small.zip', ['/gen/2000/1'], { onConflict: 'fail' });
    expect(second.failure).to.include({ code: 'ObjectExists' });
    expect((await reader.bytes('small.zip')).equals(before)).to.equal(true);
    expect(r2.rules.refusals).to.deep.equal([]);
  });

  it('fails a job at once if it sets an object option that R2 refuses, and names the field (U15) (C7)', async () => {
    const tags = { team: 'sales' };
    const { failure } = await run('refused.zip', ['/gen/1000/1'], { bucket: { tags } });
    expect(failure).to.include({ code: 'BucketMisconfigured', retriable: false });
    expect(failure?.message)
      .to.contain('objectOptions.tags is not supported by R2')
      .and.to.contain('use metadata instead');
    expect(r2.rules.refusals).to.deep.equal([]);
  });

  it('keeps its storage class, cache control and content disposition (U15)', async () => {
    const { code, failure } = await run('options.zip', ['/gen/1000/1'], {
      bucket: { storageClass: 'STANDARD', cacheControl: 'no-store', contentDisposition: 'attachment' },
    });
    expect(code, JSON.stringify(failure)).to.equal(EXIT_CODES.ok);
    expect(r2.rules.refusals).to.deep.equal([]);
  });

  it('at an endpoint of service s3 works too, and the refusal of an ACL names its header (U15)', async () => {
    const atEndpoint = { service: 's3', region: 'auto', endpoint: `https://${r2.host}` } as const;
    const { code, failure } = await run('endpoint.zip', [`/gen/${12 * MIB}/1`], { bucket: atEndpoint });
    expect(code, JSON.stringify(failure)).to.equal(EXIT_CODES.ok);
    const refused = await run('endpoint.zip', ['/gen/1000/1'], { bucket: { ...atEndpoint, acl: 'private' } });
    expect(refused.failure).to.include({ code: 'BucketMisconfigured', retriable: false });
    expect(refused.failure?.message).to.contain("Header 'x-amz-acl' with value 'private' not implemented");
  });

  it('has the files of an archive, read by ranges and signed requests (SB8)', async () => {
    const files = [3, 40 * MIB, 70_000].map((bytes, seed) => ({
      url: `r2://${BUCKET}/sources/${seed}`,
      filename: `${seed}.bin`,
      content: generatedBytes(bytes, seed),
    }));
    for (const { content, filename } of files) await reader.put(`sources/${filename.slice(0, 1)}`, content);
    const keys = { accessKeyId: r2.store.accessKeyId, secretAccessKey: r2.store.secretAccessKey };
    const zipBucket = `r2-${BUCKET}`;
    const place = { service: 'r2', name: BUCKET, host: r2.host } as const;
    host.status.spec = { sourceBuckets: [zipBucket] };
    const program = await host.prepare({
      endpoint: '',
      bucket: BUCKET,
      key: 'of-objects.zip',
      ...keys,
      files: files.map(({ url, filename }) => ({ url, filename })),
      task: { bucket: place, sourceBuckets: [{ zipBucket, ...place }] },
      sourceKeys: [keys],
      env: { NODE_EXTRA_CA_CERTS: r2.caFile },
    });
    const { code, message } = await runZipper(program);
    host.status.spec = {};
    expect(code, message).to.equal(EXIT_CODES.ok);
    const entries = await zipEntries(await reader.bytes('of-objects.zip'));
    expect(entries.map(({ name }) => name)).to.deep.equal(files.map(({ filename }) => filename));
    for (const [index, { content }] of entries.entries())
      expect(content.equals(files[index]?.content ?? Buffer.of()), String(index)).to.equal(true);
  });
});

describe('the endpoint of these tests', function () {
  this.timeout(60_000);
  const life = new AsyncDisposableStack();
  let client: S3Client;
  before(async () => {
    const { store, rules } = life.use(await startR2Store(BUCKET));
    const front = life.use(await startFaultProxy({ upstream: store.endpoint, judge: rules.judge }));
    client = new S3Client({
      endpoint: front.url,
      region: store.region,
      forcePathStyle: true,
      credentials: store,
      maxAttempts: 1,
    });
    life.defer(() => client.destroy());
  });
  after(() => life.disposeAsync());

  const on = { Bucket: BUCKET, Key: 'a' };
  async function create(input: Partial<CreateMultipartUploadCommandInput> = {}): Promise<string> {
    return (await client.send(new CreateMultipartUploadCommand({ ...on, ...input }))).UploadId ?? '';
  }
  async function complete(...sizes: readonly number[]): Promise<void> {
    const UploadId = await create();
    const Parts = [];
    for (const [index, bytes] of sizes.entries()) {
      const part = { ...on, UploadId, PartNumber: index + 1, Body: Buffer.alloc(bytes) };
      const { ETag } = await client.send(new UploadPartCommand(part));
      Parts.push({ ETag, PartNumber: index + 1 });
    }
    await client.send(new CompleteMultipartUploadCommand({ ...on, UploadId, MultipartUpload: { Parts } }));
  }
  async function errorOf(work: Promise<unknown>): Promise<{ name?: string; message?: string }> {
    return work.then(
      () => ({}),
      (error: unknown) => error as { name: string; message: string },
    );
  }

  it('refuses parts that R2 refuses', async () => {
    for (const [sizes, code] of [
      [[PART, PART + 1, 1], 'InvalidPart'],
      [[PART, PART + 1], 'InvalidPart'],
      [[PART - 1, PART - 1, 1], 'EntityTooSmall'],
    ] as const)
      expect(await errorOf(complete(...sizes)), sizes.join(' ')).to.include({ name: code });
    await complete(PART, PART, 1);
  });

  it('refuses ACLs, encryption with a key of KMS, tags and storage classes of S3 as R2 does', async () => {
    for (const [input, header] of [
      [{ ACL: 'private' }, 'x-amz-acl'],
      [{ GrantRead: 'id=1' }, 'x-amz-grant-read'],
      [{ ServerSideEncryption: 'aws:kms' }, 'x-amz-server-side-encryption'],
      [{ SSEKMSKeyId: 'key' }, 'x-amz-server-side-encryption-aws-kms-key-id'],
      [{ Tagging: 'a=b' }, 'x-amz-tagging'],
      [{ StorageClass: 'GLACIER' }, 'x-amz-storage-class'],
    ] as const) {
      const error = await errorOf(create(input));
      expect(error, header).to.include({ name: 'NotImplemented' });
      expect(error.message).to.contain(`Header '${header}'`);
    }
    const tagging = new PutObjectTaggingCommand({ ...on, Tagging: { TagSet: [] } });
    expect(await errorOf(client.send(tagging))).to.include({ name: 'NotImplemented' });
  });
});
