/** The requests to Cloudflare's real hosts, and how their real responses are interpreted. */
import { expect } from 'chai';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import type { Store } from '#zipper-image/store/store.ts';
import {
  ACCOUNT,
  BODY,
  CREATED,
  completedXml,
  errorBody,
  expectPlain,
  KEY,
  MD5,
  md5Part,
  PATH,
  R2,
  R2_ORIGIN,
  UPLOAD,
  useMockedHosts,
} from './mocked-hosts.ts';
import { failureOf } from './upload-harness.ts';

describe('requests of a store', () => {
  const { hosts, openFor } = useMockedHosts();
  let store: Store;

  describe('to R2', () => {
    beforeEach(() => {
      store = openFor(R2);
    });

    const path = `/archives${PATH}?uploads=`;
    it('start an upload in region auto and ask for CRC-32 (U13) (U15)', async () => {
      hosts.expect(R2_ORIGIN, {
        method: 'POST',
        path,
        response: CREATED,
        headers: { 'x-amz-checksum-algorithm': 'CRC32' },
      });
      await store.createUpload(KEY, 'pod-1');
      expect(store.partChecksum).to.equal('crc32');
      expectPlain(hosts.sent, 'auto');
      expect(hosts.sent).to.include({
        'x-amz-meta-zip-attempt': 'pod-1',
        host: `${ACCOUNT}.r2.cloudflarestorage.com`,
      });
      expect(hosts.sent).to.include({ 'x-amz-checksum-algorithm': 'CRC32' });
      // R2 has the checksum of a whole object for CRC-64/NVME only.
      expect(hosts.sent).not.to.have.property('x-amz-checksum-type');
    });

    it('start it again without the header if R2 refuses it, as it did until 2025 (U13)', async () => {
      const response = errorBody('NotImplemented');
      hosts.expect(R2_ORIGIN, { method: 'POST', path, status: 501, response });
      hosts.expect(R2_ORIGIN, { method: 'POST', path, response: CREATED });
      await store.createUpload(KEY, 'pod-1');
      expect(store.partChecksum).to.equal('md5');
      expect(Object.keys(hosts.sent).join(' ')).not.to.match(/checksum/);
    });

    it('send a part with Content-MD5 only and compare the ETag (U13) (U14)', async () => {
      const part1 = `/archives${PATH}?partNumber=1&uploadId=up-1`;
      hosts.expect(R2_ORIGIN, { method: 'PUT', path: part1, headers: { etag: `"${MD5.toString('hex')}"` } });
      const part = await store.uploadPart(UPLOAD, md5Part);
      expect(part).to.include({ etagIsMd5: true });
      expectPlain(hosts.sent, 'auto');
      expect(hosts.sent).to.include({
        'content-md5': MD5.toString('base64'),
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
      });
      expect(Object.keys(hosts.sent).join(' ')).not.to.match(/checksum/);
      hosts.expect(R2_ORIGIN, { method: 'PUT', path: part1, headers: { etag: `"${'0'.repeat(32)}"` } });
      expect(await failureOf(store.uploadPart(UPLOAD, md5Part))).to.include({ code: 'StoreCorrupted' });
    });

    it('complete with ETags only (U13) (U14)', async () => {
      const response = completedXml('<ETag>"x-1"</ETag>');
      hosts.expect(R2_ORIGIN, { method: 'POST', path: `/archives${PATH}?uploadId=up-1`, response });
      const parts: Part[] = [{ ...md5Part, bytes: BODY.length, etag: '"e"', etagIsMd5: false }];
      await store.completeUpload(UPLOAD, parts, { onConflict: 'replace', limitMs: 15_000 });
      expect(Object.keys(hosts.sent).join(' ')).not.to.match(/checksum/);
    });

    for (const [status, code, want, retryable] of [
      [401, 'Unauthorized', 'BucketCredentialsInvalid', false],
      [403, 'AccessDenied', 'BucketAccessDenied', false],
      [403, 'SignatureDoesNotMatch', 'BucketCredentialsInvalid', false],
      [404, 'NoSuchBucket', 'BucketNotFound', false],
      [429, 'TooManyRequests', 'StoreUnavailable', true],
      [501, 'NotImplemented', 'BucketMisconfigured', false],
    ] as const)
      it(`map ${status} ${code} to ${want} (U15) (U17)`, async () => {
        const response = errorBody(code);
        hosts.expect(R2_ORIGIN, { method: 'POST', path, status, response });
        // Without the checksum.
        if (status === 501) hosts.expect(R2_ORIGIN, { method: 'POST', path, status, response });
        expect(await failureOf(store.createUpload(KEY, 'pod-1'))).to.include({ code: want, retryable });
      });
  });
});
