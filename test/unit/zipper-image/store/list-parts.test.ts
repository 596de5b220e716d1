import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { digestOfParts } from '#zipper-image/store/part-verification.ts';
import { body, failureOf, KEY, PART, UploadHarness, type UploadHarnessOptions } from './upload-harness.ts';

function lengthsOf(bytes: number): readonly number[] {
  return Array.from({ length: Math.ceil(bytes / PART) }, (_, at) => Math.min(PART, bytes - at * PART));
}

describe('listParts', () => {
  let harness: UploadHarness;
  async function start(options: UploadHarnessOptions = {}) {
    harness = await UploadHarness.start(options);
    const upload = await harness.filled();
    return { key: KEY, uploadId: upload.uploadId };
  }
  afterEach(() => harness[Symbol.asyncDispose]());

  it('lists number, size and ETag of every part, over all pages', async () => {
    const ref = await start();
    harness.hostile.pageSize = 2;
    const parts = await harness.store.listParts(ref);
    expect(parts.map(({ number }) => number)).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(parts.map(({ bytes }) => bytes)).to.deep.equal(lengthsOf(body.length));
    const stored = harness.hostile.uploads.get(ref.uploadId)?.parts;
    expect(parts.map(({ etag }) => etag)).to.deep.equal(parts.map(({ number }) => stored?.get(number)?.etag));
    expect(parts[0]).not.to.have.property('crc32');
    expect(harness.count('listParts')).to.equal(3);
  });

  it('lists the CRC-32 of parts whose store has one', async () => {
    const ref = await start({ kind: 's3' });
    const parts = await harness.store.listParts(ref);
    expect(parts[0]?.crc32).to.equal(crc32(body.subarray(0, PART)));
  });

  it('fails with NoSuchUpload if the store does not know the upload', async () => {
    const ref = await start();
    harness.hostile.uploads.clear();
    expect(await failureOf(harness.store.listParts(ref))).to.include({ storeCode: 'NoSuchUpload' });
  });

  for (const [what, xml] of [
    ['a page that is no list of parts', '<html><body>Sign in</body></html>'],
    [
      'a part without a size',
      '<ListPartsResult><UploadId>u</UploadId><Part><PartNumber>1</PartNumber><ETag>"e"</ETag></Part></ListPartsResult>',
    ],
    [
      'pages without a marker',
      '<ListPartsResult><UploadId>u</UploadId><IsTruncated>true</IsTruncated></ListPartsResult>',
    ],
    [
      'pages without an end',
      '<ListPartsResult><UploadId>u</UploadId><IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker></ListPartsResult>',
    ],
  ] as const)
    it(`fails after ${what}, which may be repeated`, async () => {
      const ref = await start();
      harness.hostile.fault = () => ({ kind: 'response', status: 200, code: '', body: xml });
      expect(await failureOf(harness.store.listParts(ref))).to.include({
        storeCode: 'IncompleteResponse',
        retryable: true,
      });
      expect(harness.count('listParts')).to.be.at.most(100);
    });
});

it('knows parts again by their numbers and ETags, with or without quotes', () => {
  const parts = [
    { number: 1, etag: '"a"' },
    { number: 2, etag: 'b' },
  ];
  expect(digestOfParts(parts)).to.equal(createHash('sha256').update('1 a\n2 b\n').digest('hex'));
});
