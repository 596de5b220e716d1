/** The requests to the real hosts of AWS, and how their real responses are interpreted. */
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import { base64Crc, followsFromParts } from '#zipper-image/store/part-verification.ts';
import type { Store } from '#zipper-image/store/store.ts';
import {
  AWS,
  AWS_ORIGIN,
  BODY,
  CRC,
  CREATED,
  completedXml,
  crcPart,
  errorBody,
  expectPlain,
  KEY,
  PATH,
  UPLOAD,
  useMockedHosts,
} from './mocked-hosts.ts';
import { failureOf } from './upload-harness.ts';

/** The response to a part. */
const CONFIRMED = { etag: '"e"', 'x-amz-checksum-crc32': base64Crc(CRC) };

describe('requests of a store', () => {
  const { hosts, openFor } = useMockedHosts();
  let store: Store;

  describe('to S3', () => {
    beforeEach(() => {
      store = openFor(AWS);
    });

    it('start an upload with attempt, content type and checksum, without an ACL (U13) (U14) (U15)', async () => {
      hosts.expect(AWS_ORIGIN, { method: 'POST', path: `${PATH}?uploads=`, response: CREATED });
      expect(await store.createUpload(KEY, 'pod-1')).to.equal('up-1');
      expectPlain(hosts.sent, 'eu-central-1');
      expect(hosts.sent).to.include({
        'x-amz-meta-zip-attempt': 'pod-1',
        'content-type': 'application/zip',
        'x-amz-checksum-algorithm': 'CRC32',
        'x-amz-checksum-type': 'FULL_OBJECT',
      });
    });

    it('complete with the CRC-32 of the whole object if S3 verifies it, also when another process has started the upload (U14)', async () => {
      const [first, second] = [Buffer.from('first'), Buffer.from('two')];
      const whole = base64Crc(crc32(Buffer.concat([first, second])));
      const parts: Part[] = [first, second].map((body, index) => ({
        number: index + 1,
        bytes: body.length,
        etag: '"e"',
        etagIsMd5: false,
        digests: { kind: 'crc32', crc32: crc32(body) },
      }));
      const type = { 'x-amz-checksum-type': 'FULL_OBJECT' };
      async function start(): Promise<void> {
        hosts.expect(AWS_ORIGIN, {
          method: 'POST',
          path: `${PATH}?uploads=`,
          response: CREATED,
          headers: type,
        });
        await store.createUpload(KEY, 'pod-1');
      }
      async function list(): Promise<void> {
        const response =
          '<ListPartsResult><ChecksumType>FULL_OBJECT</ChecksumType><UploadId>up-1</UploadId></ListPartsResult>';
        hosts.expect(AWS_ORIGIN, { method: 'GET', path: `${PATH}?uploadId=up-1&x-id=ListParts`, response });
        await store.listParts(UPLOAD);
      }
      for (const know of [start, list]) {
        store = openFor(AWS);
        await know();
        const response = completedXml(`<ETag>"x-1"</ETag><ChecksumCRC32>${whole}</ChecksumCRC32>`);
        hosts.expect(AWS_ORIGIN, { method: 'POST', path: `${PATH}?uploadId=up-1`, response });
        const how = { onConflict: 'replace', limitMs: 15_000 } as const;
        const completed = await store.completeUpload(UPLOAD, parts, how);
        expect(completed).to.deep.equal({ etag: 'x-1', crc32OfObject: whole });
        expect(hosts.sent).to.include({ ...type, 'x-amz-checksum-crc32': whole });
        expect(followsFromParts(completed, parts)).to.equal('yes');
        expect(followsFromParts({ ...completed, crc32OfObject: 'AAAAAA==' }, parts)).to.equal('no');
      }
    });

    it('compare no CRC-32 of the whole object if the store lists none of its parts (U14)', async () => {
      const listed =
        '<ListPartsResult><ChecksumType>FULL_OBJECT</ChecksumType><UploadId>up-1</UploadId></ListPartsResult>';
      hosts.expect(AWS_ORIGIN, {
        method: 'GET',
        path: `${PATH}?uploadId=up-1&x-id=ListParts`,
        response: listed,
      });
      await store.listParts(UPLOAD);
      const digests = { kind: 'md5', md5: Buffer.alloc(0) } as const;
      const parts: Part[] = [{ number: 1, bytes: 5, etag: '"e"', etagIsMd5: false, digests }];
      const xml = completedXml(`<ETag>"x-1"</ETag><ChecksumCRC32>${base64Crc(CRC)}</ChecksumCRC32>`);
      hosts.expect(AWS_ORIGIN, { method: 'POST', path: `${PATH}?uploadId=up-1`, response: xml });
      const completed = await store.completeUpload(UPLOAD, parts, { onConflict: 'replace', limitMs: 15_000 });
      expect(hosts.sent).not.to.have.any.keys('x-amz-checksum-type', 'x-amz-checksum-crc32');
      for (const response of [completed, { ...completed, crc32OfObject: base64Crc(CRC) }])
        expect(followsFromParts(response, parts)).to.equal('unknown');
    });

    it('contain the encryption and the tags of the bucket only at the start of the upload', async () => {
      const encrypted = {
        serverSideEncryption: 'aws:kms',
        kmsKeyId: 'arn:aws:kms:eu-central-1:1:key/2',
        bucketKeyEnabled: true,
      } as const;
      const bucket = { ...AWS, ...encrypted, tags: { team: 'sales', a: '1' }, metadata: { m: '1', n: '1' } };
      store = openFor(bucket, { tags: { a: '2 3' }, metadata: { m: '2' } });
      hosts.expect(AWS_ORIGIN, { method: 'POST', path: `${PATH}?uploads=`, response: CREATED });
      await store.createUpload(KEY, 'pod-1');
      expect(hosts.sent).to.include({
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': encrypted.kmsKeyId,
        'x-amz-server-side-encryption-bucket-key-enabled': 'true',
        'x-amz-tagging': 'team=sales&a=2%203',
        'x-amz-meta-m': '2',
        'x-amz-meta-n': '1',
        'x-amz-meta-zip-attempt': 'pod-1',
      });
      const crc = base64Crc(CRC);
      const path = `${PATH}?partNumber=1&uploadId=up-1`;
      hosts.expect(AWS_ORIGIN, {
        method: 'PUT',
        path,
        headers: { etag: '"e"', 'x-amz-checksum-crc32': crc, 'x-amz-server-side-encryption': 'aws:kms' },
      });
      await store.uploadPart(UPLOAD, crcPart);
      expectPlain(hosts.sent, 'eu-central-1');
    });

    it('send a part with its CRC-32 and without a hash of the body in the signature (U14)', async () => {
      const crc = base64Crc(CRC);
      hosts.expect(AWS_ORIGIN, {
        method: 'PUT',
        path: `${PATH}?partNumber=1&uploadId=up-1`,
        headers: { etag: '"e"', 'x-amz-checksum-crc32': crc },
      });
      const part = await store.uploadPart(UPLOAD, crcPart);
      expect(part).to.include({ number: 1, bytes: BODY.length, etag: '"e"' });
      expectPlain(hosts.sent, 'eu-central-1');
      expect(hosts.sent).to.include({
        'x-amz-checksum-crc32': crc,
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        'content-length': String(BODY.length),
      });
      expect(Object.keys(hosts.sent).filter((name) => /checksum|content-md5/.test(name))).to.deep.equal([
        'x-amz-checksum-crc32',
      ]);
    });

    it('send a part to the place where the upload was started, whatever is in the key', async () => {
      const key = "dir//ä b!'()*~+&=?#%_.zip";
      const path = '/dir//%C3%A4%20b%21%27%28%29%2A~%2B%26%3D%3F%23%25_.zip';
      hosts.expect(AWS_ORIGIN, { method: 'POST', path: `${path}?uploads=`, response: CREATED });
      const uploadId = await store.createUpload(key, 'pod-1');
      hosts.expect(AWS_ORIGIN, {
        method: 'PUT',
        path: `${path}?partNumber=1&uploadId=up-1`,
        headers: CONFIRMED,
      });
      await store.uploadPart({ key, uploadId }, crcPart);
    });

    it('fail for a part as others do', async () => {
      const request = { method: 'PUT', path: `${PATH}?partNumber=1&uploadId=up-1` } as const;
      async function failure() {
        return failureOf(store.uploadPart(UPLOAD, crcPart));
      }
      const busy = { status: 503, response: errorBody('SlowDown'), headers: { 'retry-after': '7' } };
      hosts.expect(AWS_ORIGIN, { ...request, ...busy });
      expect(await failure()).to.include({ storeCode: 'SlowDown', isThrottle: true, retryAfterMs: 7000 });
      const response = errorBody('AuthorizationHeaderMalformed', '<Region>us-west-2</Region>');
      hosts.expect(AWS_ORIGIN, { ...request, status: 400, response });
      expect(await failure())
        .to.have.property('message')
        .that.contains('part 1 in bucket archives')
        .and.contains('the bucket is in region us-west-2');
      hosts.expect(AWS_ORIGIN, { ...request, status: 502, response: '<html>Bad Gateway</html>' });
      expect(await failure()).to.include({ httpStatus: 502, isDocument: false, retryable: true });
      hosts.expect(AWS_ORIGIN, { ...request, status: 200, response: errorBody('SlowDown') });
      expect(await failure()).to.include({ storeCode: 'SlowDown', isThrottle: true });
      hosts.expect(AWS_ORIGIN, { ...request, status: 307, response: errorBody('TemporaryRedirect') });
      expect(await failure()).to.include({ code: 'BucketMisconfigured', retryable: false });
    });

    it('sign a part with the time of the store, if the clock of the node is wrong', async () => {
      const request = { method: 'PUT', path: `${PATH}?partNumber=1&uploadId=up-1` } as const;
      const date = new Date(Date.now() + 3_600_000).toUTCString();
      const refused = { status: 403, response: errorBody('RequestTimeTooSkewed'), headers: { date } };
      hosts.expect(AWS_ORIGIN, { ...request, ...refused });
      expect(await failureOf(store.uploadPart(UPLOAD, crcPart))).to.include({ retryable: true });
      hosts.expect(AWS_ORIGIN, { ...request, headers: CONFIRMED });
      await store.uploadPart(UPLOAD, crcPart);
      const signedAt = String(hosts.sent['x-amz-date']).replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
      expect(Date.parse(signedAt) - Date.parse(date)).to.be.within(-1000, 60_000);
    });

    for (const [what, headers] of [
      ['another checksum', { etag: '"e"', 'x-amz-checksum-crc32': 'AAAAAA==' }],
      ['no checksum', { etag: '"e"' }],
      ['no ETag', { 'x-amz-checksum-crc32': base64Crc(CRC) }],
    ] as const)
      it(`refuse a part whose response has ${what} (U14)`, async () => {
        hosts.expect(AWS_ORIGIN, {
          method: 'PUT',
          path: `${PATH}?partNumber=1&uploadId=up-1`,
          headers,
        });
        expect(await failureOf(store.uploadPart(UPLOAD, crcPart))).to.include({ retryable: true });
      });

    it('complete with the checksum of each part, and with the condition only if requested (U14) (U16)', async () => {
      const parts: Part[] = [{ ...crcPart, bytes: BODY.length, etag: '"e"', etagIsMd5: false }];
      const crc32OfParts = 'whatever-1';
      const response = completedXml(`<ETag>"x-1"</ETag><ChecksumCRC32>${crc32OfParts}</ChecksumCRC32>`);
      const expected = { method: 'POST', path: `${PATH}?uploadId=up-1`, response } as const;
      hosts.expect(AWS_ORIGIN, expected);
      expect(
        await store.completeUpload(UPLOAD, parts, { onConflict: 'replace', limitMs: 15_000 }),
      ).to.deep.equal({
        etag: 'x-1',
        crc32OfParts,
      });
      expectPlain(hosts.sent, 'eu-central-1');
      expect(hosts.sent).not.to.have.any.keys('if-none-match', 'x-amz-checksum-type', 'x-amz-checksum-crc32');
      hosts.expect(AWS_ORIGIN, expected);
      await store.completeUpload(UPLOAD, parts, { onConflict: 'fail', limitMs: 15_000 });
      expect(hosts.sent).to.include({ 'if-none-match': '*' });
    });

    it('treat a 200 with an embedded error as this error (U8)', async () => {
      const response = `<?xml version="1.0"?>\n${' '.repeat(500)}${errorBody('InternalError').split('\n')[1]}`;
      hosts.expect(AWS_ORIGIN, { method: 'POST', path: `${PATH}?uploadId=up-1`, response });
      expect(
        await failureOf(store.completeUpload(UPLOAD, [], { onConflict: 'replace', limitMs: 15_000 })),
      ).to.include({
        code: 'StoreUnavailable',
        storeCode: 'InternalError',
        retryable: true,
      });
    });

    it('abort, get and list with minimal parameters', async () => {
      hosts.expect(AWS_ORIGIN, {
        method: 'DELETE',
        path: `${PATH}?uploadId=up-1&x-id=AbortMultipartUpload`,
        status: 204,
      });
      await store.abortUpload(UPLOAD);
      expectPlain(hosts.sent, 'eu-central-1');
      const headers = { etag: '"x-1"', 'content-length': '9', 'x-amz-meta-zip-attempt': 'pod-1' };
      hosts.expect(AWS_ORIGIN, { method: 'HEAD', path: PATH, headers });
      expect(await store.head(KEY)).to.deep.equal({ bytes: 9, etag: 'x-1', attempt: 'pod-1' });
      hosts.expect(AWS_ORIGIN, { method: 'HEAD', path: PATH, status: 404 });
      expect(await store.head(KEY)).to.equal(undefined);
      hosts.expect(AWS_ORIGIN, {
        method: 'GET',
        path: '/?max-uploads=1000&prefix=dir%2Fa%20b.zip&uploads=',
        response:
          '<ListMultipartUploadsResult><Upload><Key>dir/a b.zip</Key><UploadId>up-1</UploadId>' +
          '<Initiator><ID>arn:us</ID></Initiator><Initiated>2026-01-02T03:04:05.000Z</Initiated></Upload>' +
          '<Upload><Key>dir/a b.zip.2</Key><UploadId>up-2</UploadId></Upload></ListMultipartUploadsResult>',
      });
      const initiated = new Date('2026-01-02T03:04:05Z');
      expect(await store.listUploads(KEY)).to.deep.equal([{ ...UPLOAD, initiated, initiator: 'arn:us' }]);
    });

    it('follow no redirect and report the region (U17) (S9)', async () => {
      hosts.expect(AWS_ORIGIN, {
        method: 'POST',
        path: `${PATH}?uploads=`,
        status: 301,
        headers: { 'x-amz-bucket-region': 'us-west-2', location: 'https://archives.s3.evil.example/' },
        response: errorBody('PermanentRedirect', '<Endpoint>archives.s3.us-west-2.amazonaws.com</Endpoint>'),
      });
      const error = await failureOf(store.createUpload(KEY, 'pod-1'));
      expect(error).to.include({ code: 'BucketMisconfigured', retryable: false });
      expect(error.message).to.contain('the bucket is in region us-west-2');
    });

    for (const [status, code, want, retryable, more = ''] of [
      [400, 'AuthorizationHeaderMalformed', 'BucketMisconfigured', false, '<Region>us-west-2</Region>'],
      [400, 'IllegalLocationConstraintException', 'BucketMisconfigured', false],
      [403, 'InvalidAccessKeyId', 'BucketCredentialsInvalid', false],
      [404, 'XAdminUserNotFound', 'BucketCredentialsInvalid', false],
      [403, 'SignatureDoesNotMatch', 'BucketCredentialsInvalid', false],
      [400, 'ExpiredToken', 'BucketCredentialsInvalid', false],
      [400, 'InvalidToken', 'BucketCredentialsInvalid', false],
      [404, 'NoSuchBucket', 'BucketNotFound', false],
      [403, 'AccessDenied', 'BucketAccessDenied', false],
      [403, 'AllAccessDisabled', 'BucketAccessDenied', false],
      [400, 'AccessControlListNotSupported', 'BucketMisconfigured', false],
      [400, 'InvalidStorageClass', 'BucketMisconfigured', false],
      [501, 'NotImplemented', 'BucketMisconfigured', false],
      [403, 'RequestTimeTooSkewed', 'StoreUnavailable', true],
      [503, 'SlowDown', 'StoreUnavailable', true],
      [500, 'InternalError', 'StoreUnavailable', true],
    ] as const)
      it(`map ${status} ${code} to ${want} (U17)`, async () => {
        hosts.expect(AWS_ORIGIN, {
          method: 'POST',
          path: `${PATH}?uploads=`,
          status,
          response: errorBody(code, more),
        });
        const error = await failureOf(store.createUpload(KEY, 'pod-1'));
        expect(error).to.include({ code: want, storeCode: code, httpStatus: status, retryable });
        if (more !== '') expect(error.message).to.contain('the bucket is in region us-west-2');
      });

    it('treat a response without an upload ID as retryable', async () => {
      hosts.expect(AWS_ORIGIN, { method: 'POST', path: `${PATH}?uploads=`, response: '<X/>' });
      expect(await failureOf(store.createUpload(KEY, 'pod-1'))).to.include({ retryable: true });
    });
  });

  it('use path style for a bucket with dots, at the host of its region', async () => {
    store = openFor({ ...AWS, name: 'my.archives' });
    const [origin, path] = ['https://s3.eu-central-1.amazonaws.com', `/my.archives${PATH}`];
    hosts.expect(origin, { method: 'POST', path: `${path}?uploads=`, response: CREATED });
    await store.createUpload(KEY, 'pod-1');
    hosts.expect(origin, { method: 'PUT', path: `${path}?partNumber=1&uploadId=up-1`, headers: CONFIRMED });
    await store.uploadPart(UPLOAD, crcPart);
  });

  for (const region of ['us-east-1', 'ap-southeast-2', 'us-gov-west-1', 'il-central-1'])
    it(`use the host of ${region} only (S10)`, async () => {
      store = openFor({ ...AWS, region });
      const origin = `https://archives.s3.${region}.amazonaws.com`;
      hosts.expect(origin, { method: 'POST', path: `${PATH}?uploads=`, response: CREATED });
      await store.createUpload(KEY, 'pod-1');
      expectPlain(hosts.sent, region);
      hosts.expect(origin, { method: 'PUT', path: `${PATH}?partNumber=1&uploadId=up-1`, headers: CONFIRMED });
      await store.uploadPart(UPLOAD, crcPart);
      expectPlain(hosts.sent, region);
    });

  it('include the options of the job before those of the bucket, and the attempt (C1)', async () => {
    store = openFor(
      { ...AWS, acl: 'private', storageClass: 'STANDARD_IA', cacheControl: 'no-store' },
      {
        contentType: 'application/x-zip-compressed',
        contentDisposition: 'attachment',
        cacheControl: 'private',
        storageClass: 'GLACIER_IR',
        metadata: { department: 'sales' },
        tags: { 'a b': 'c/d', e: '' },
      },
    );
    hosts.expect(AWS_ORIGIN, { method: 'POST', path: `${PATH}?uploads=`, response: CREATED });
    await store.createUpload(KEY, 'pod-1');
    expect(hosts.sent).to.include({
      'content-type': 'application/x-zip-compressed',
      'content-disposition': 'attachment',
      'cache-control': 'private',
      'x-amz-acl': 'private',
      'x-amz-storage-class': 'GLACIER_IR',
      'x-amz-meta-department': 'sales',
      'x-amz-meta-zip-attempt': 'pod-1',
      'x-amz-tagging': 'a%20b=c%2Fd&e=',
    });
  });

  it('include the ACL, storage class and headers of the bucket (U15)', async () => {
    const acl = 'bucket-owner-full-control';
    store = openFor({ ...AWS, acl, storageClass: 'STANDARD_IA', cacheControl: 'no-store' });
    hosts.expect(AWS_ORIGIN, { method: 'POST', path: `${PATH}?uploads=`, response: CREATED });
    await store.createUpload(KEY, 'pod-1');
    expect(hosts.sent).to.include({
      'x-amz-acl': acl,
      'x-amz-storage-class': 'STANDARD_IA',
      'cache-control': 'no-store',
    });
  });
});
