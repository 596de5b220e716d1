/** The test of a bucket at a store that refuses some of its options. */
import { expect } from 'chai';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { createHttpAgents } from '#runtime/egress/http-agents.ts';
import { createLogger } from '#runtime/log/log.ts';
import {
  type HostileStore,
  type SeenRequest,
  startHostileStore,
} from '#test/support/servers/hostile-store.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';
import { checkBucket } from '#zipper-image/tasks/check-bucket.ts';
import { settings } from '../store/upload-harness.ts';

const ALL = {
  acl: 'bucket-owner-full-control',
  serverSideEncryption: 'aws:kms',
  kmsKeyId: 'alias/archives',
  bucketKeyEnabled: true,
  tags: { team: 'sales and more' },
  metadata: { stage: 'live' },
  storageClass: 'STANDARD_IA',
  cacheControl: 'no-store',
} as const;

describe('the test of a bucket with object options', () => {
  let hostile: HostileStore;
  let stores: Store[];

  beforeEach(async () => {
    hostile = await startHostileStore();
    stores = [];
  });
  afterEach(async () => {
    for (const store of stores) store.close();
    await hostile[Symbol.asyncDispose]();
  });

  function check(options: Partial<TaskBucket> = ALL) {
    const bucket: TaskBucket = { service: 's3', name: 'bucket', endpoint: hostile.endpoint, ...options };
    const allowedHosts = [new URL(hostile.endpoint).host];
    const store = createStore({
      bucket,
      provider: providerOf(bucket, { allowedHosts, allowHttp: true }),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      agents: createHttpAgents({ connections: 2 }),
      connectTimeoutMs: 5000,
      idleTimeoutMs: 5000,
    });
    stores.push(store);
    const log = createLogger('test', { level: 'silent' });
    return checkBucket({
      store,
      settings,
      log,
      podUid: 'pod-1',
      signal: new AbortController().signal,
      toFailure,
    });
  }
  /** Denies uploads with one of these headers, and the other requests for which `also` is true. */
  function deny(
    headers: readonly string[],
    { message, also }: { message?: string; also?: (request: SeenRequest) => boolean } = {},
  ): void {
    hostile.fault = (request) =>
      (request.operation === 'create' && headers.some((name) => request.headers[name] !== undefined)) ||
      also?.(request) === true
        ? {
            kind: 'response',
            status: 403,
            code: 'AccessDenied',
            ...(message !== undefined && {
              body: `<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
            }),
          }
        : undefined;
  }

  it('starts one upload with all of them, and leaves nothing', async () => {
    expect(await check()).to.deep.equal({ ok: true, missingPermissions: [] });
    const created = hostile.requests.filter(({ operation }) => operation === 'create');
    expect(created.map(({ headers }) => headers)).to.have.length(1);
    expect(created[0]?.headers).to.include({
      'x-amz-acl': ALL.acl,
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': ALL.kmsKeyId,
      'x-amz-server-side-encryption-bucket-key-enabled': 'true',
      'x-amz-tagging': 'team=sales%20and%20more',
      'x-amz-meta-stage': 'live',
      'x-amz-storage-class': 'STANDARD_IA',
      'cache-control': 'no-store',
    });
    for (const { headers, operation } of hostile.requests)
      if (operation !== 'create')
        expect(Object.keys(headers).join(' ')).not.to.match(/encryption|tagging|acl|meta|storage-class/);
    expect([hostile.uploads.size, hostile.objects.size]).to.deep.equal([0, 0]);
  });

  const KMS_HEADER = 'x-amz-server-side-encryption';
  for (const [what, confirmed] of [
    ['nothing', undefined],
    ['another encryption', 'AES256'],
  ] as const)
    it(`fails if the store confirms ${what}, because it may ignore the encryption, and leaves no upload`, async () => {
      hostile.encryption = ({ operation }) => (operation === 'create' ? confirmed : undefined);
      const { ok, failure } = await check();
      expect([ok, failure?.code, failure?.retriable]).to.deep.equal([false, 'BucketMisconfigured', false]);
      expect(failure?.message).to.include('did not confirm serverSideEncryption aws:kms');
      expect([hostile.uploads.size, hostile.objects.size]).to.deep.equal([0, 0]);
    });

  for (const operation of ['create', 'part'] as const)
    it(`accepts a store that confirms the encryption only in the response to ${operation}`, async () => {
      hostile.encryption = (request) => (request.operation === operation ? 'aws:kms' : undefined);
      expect((await check()).ok).to.equal(true);
    });

  for (const [what, headers, missing] of [
    ['tags', ['x-amz-tagging'], ['s3:PutObjectTagging']],
    ['an ACL', ['x-amz-acl'], ['s3:PutObjectAcl']],
    ['SSE-KMS', [KMS_HEADER], ['kms:GenerateDataKey']],
    ['tags and an ACL', ['x-amz-tagging', 'x-amz-acl'], ['s3:PutObjectAcl', 's3:PutObjectTagging']],
    [
      'all three',
      ['x-amz-tagging', 'x-amz-acl', KMS_HEADER],
      ['s3:PutObjectAcl', 's3:PutObjectTagging', 'kms:GenerateDataKey'],
    ],
  ] as const)
    it(`names the missing permission for ${what}, tests the rest, and leaves no upload`, async () => {
      deny(headers);
      const { ok, missingPermissions, failure } = await check();
      expect([ok, missingPermissions]).to.deep.equal([false, missing]);
      expect(failure?.code).to.equal('BucketAccessDenied');
      expect(hostile.requests.map(({ operation }) => operation)).to.include.members(['part', 'abort']);
      expect(hostile.uploads.size).to.equal(0);
    });

  it('names s3:PutObject if uploads without options are denied too', async () => {
    deny([], { also: ({ operation }) => operation === 'create' });
    expect((await check()).missingPermissions).to.deep.equal(['s3:PutObject']);
    expect((await check({})).missingPermissions).to.deep.equal(['s3:PutObject']);
  });

  it('names the missing permission on the key if the bucket denies uploads without its encryption', async () => {
    const text = 'User: arn:aws:iam::1:user/u is not authorized to perform: ';
    hostile.fault = ({ operation, headers }) => {
      if (operation !== 'create') return undefined;
      const action = headers[KMS_HEADER] === undefined ? 's3:PutObject' : 'kms:GenerateDataKey';
      const body = `<Error><Code>AccessDenied</Code><Message>${text}${action}</Message></Error>`;
      return { kind: 'response', status: 403, code: 'AccessDenied', body };
    };
    expect((await check()).missingPermissions).to.deep.equal(['kms:GenerateDataKey', 's3:PutObject']);
  });

  it('names kms:Decrypt if only the part is denied', async () => {
    deny([], { also: ({ operation }) => operation === 'part' });
    expect((await check()).missingPermissions).to.deep.equal(['kms:Decrypt']);
    expect((await check({ tags: { a: 'b' } })).missingPermissions).to.deep.equal(['s3:PutObject']);
  });

  it('accepts that the ETag of a part is no MD5 with encryption, although the store does not repeat it', async () => {
    const headers = { etag: `"${'0'.repeat(32)}"` };
    hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'response', status: 200, code: '', body: '', headers } : undefined;
    expect(await check()).to.deep.equal({ ok: true, missingPermissions: [] });
    expect((await check({})).failure?.code).to.equal('StoreCorrupted');
  });

  it('names the action of the message, such as one for the default encryption of the bucket', async () => {
    const message =
      'User: arn:aws:iam::1:user/u is not authorized to perform: kms:GenerateDataKey on the resource';
    deny([], { message, also: ({ operation }) => operation === 'create' });
    expect((await check({})).missingPermissions).to.deep.equal(['kms:GenerateDataKey']);
  });
});
