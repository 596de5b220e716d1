/** Files with a stated size, checksum or media type, from their source to the archive. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import type { ListedFile } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { AppError } from '#runtime/errors.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import {
  readStatedSizes,
  type StatedFiles,
  type StatedSizes,
  statedPartSize,
} from '#zipper-image/tasks/stated-sizes.ts';
import { withReader } from '../sources/source-harness.ts';
import { JobHarness, task } from './job-harness.ts';

/** Streamed. */
const LARGE = 1_200_000;
const SMALL = 5000;
const MIB = 1024 ** 2;
const large = generatedBytes(LARGE, 1);
const sha256 = createHash('sha256').update(large).digest('hex');
const crc = crc32(large).toString(16).padStart(8, '0');

describe('zipToS3 with stated files', () => {
  let harness: JobHarness;
  let origin: FileOrigin;
  beforeEach(async () => {
    harness = await JobHarness.start();
    origin = await startFileOrigin({
      routes: {
        '/report': (_request, response) => void response.writeHead(302, { location: '/login' }).end(),
        '/login': (_request, response) =>
          void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>'),
      },
    });
  });
  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  type Stated = readonly [path: string, stated: Partial<ListedFile>];

  function run(stated: readonly Stated[], change: Partial<ArchiveTask> = {}) {
    const urls = stated.map(([path]) => (path.startsWith('data:') ? path : origin.url(path)));
    const files = stated.map(([, one], index) => ({ filename: `file-${index}.bin`, ...one }));
    const reportFailures = (change.onSourceError ?? 'Fail') !== 'Fail';
    return withReader(
      urls,
      (sources) =>
        harness.run(undefined, {
          task: { ...task, ...change },
          readFiles: async () => files.map((file, index) => ({ url: urls[index]!, ...file })),
          openSources: () => sources,
        }),
      { files, reportFailures },
    );
  }
  function failing(...args: Parameters<typeof run>): Promise<AppError> {
    return run(...args).then(
      () => Promise.reject(new Error('it did not fail')),
      (error: AppError) => error,
    );
  }
  function written(): ReadonlyMap<string, Buffer> {
    const { entries } = readZip(harness.hostile.objects.get('a.zip')!.body);
    return new Map(entries.map((entry) => [entry.name, contentOf(entry)]));
  }

  for (const compression of ['store', 'deflate'] as const)
    for (const path of [`/gen/${LARGE}/1`, `/chunked/${LARGE}/1`, `/cut/2/${LARGE}/1`])
      it(`compares the checksums of a streamed file: ${compression}, ${path} (FD10)`, async () => {
        await run([[path, { size: LARGE, sha256, crc32: crc.toUpperCase() }]], { compression });
        expect(written().get('file-0.bin')?.equals(large)).to.equal(true);
        // With its length and CRC-32, a file that is not compressed has both in its local header.
        const [entry] = readZip(harness.hostile.objects.get('a.zip')!.body).entries;
        expect(entry).to.include(compression === 'store' ? { method: 0, flags: 0 } : { method: 8, flags: 8 });
        for (const wrong of [{ sha256: sha256.replace(/^./, 'x') }, { crc32: '00000000' }]) {
          harness.hostile.objects.clear();
          const error = await failing([[`${path}?again`, wrong]], { compression });
          expect(error).to.include({ code: 'SourceMismatch', retryable: true });
          expect(error.details).to.deep.include({ fileIndex: 0 });
          expect(harness.leftovers).to.deep.equal([0, 0]);
        }
      });

  for (const onSourceError of ['Skip', 'Placeholder'] as const)
    it(`leaves out a file that differs, before its entry starts (${onSourceError}) (FD10)`, async () => {
      const result = await run(
        [
          [`/gen/${LARGE}/1`, { size: 1 }],
          [`/gen/${LARGE}/1`, { contentType: 'image/png' }],
          [`/gen/${SMALL}/1`, { crc32: '00000000' }],
          [`/chunked/${SMALL}/1`, { size: SMALL + 1 }],
          ['data:,abc', { sha256 }],
          ['/report', { filename: 'report.pdf' }],
          [`/gen/${LARGE}/1`, { sha256, crc32: crc, size: LARGE }],
        ],
        { onSourceError, manifestEntry: 'm.json' },
      );
      expect(result).to.deep.include({
        skipped: [0, 1, 2, 3, 4, 5],
        skippedCodes: { SourceMismatch: 5, SourceInvalid: 1 },
      });
      const contents = written();
      expect(contents.get('file-6.bin')!.equals(large)).to.equal(true);
      expect(contents.size).to.equal(onSourceError === 'Skip' ? 2 : 8);
      if (onSourceError === 'Placeholder')
        expect(contents.get('file-2.bin.error.txt')!.toString()).to.contain('Reason: SourceMismatch');
      const { files } = JSON.parse(contents.get('m.json')!.toString()) as {
        files: { error?: { code: string } }[];
      };
      expect(files[0]?.error).to.deep.equal({ code: 'SourceMismatch' });
    });

  it('fails the attempt if a file differs after its entry has started, also if files may be left out (FD10)', async () => {
    for (const [path, stated] of [
      [`/gen/${LARGE}/1`, { sha256: '0'.repeat(64) }],
      [`/chunked/${LARGE}/1`, { size: LARGE + 1 }],
      [`/chunked/${LARGE}/1`, { size: LARGE - 1 }],
    ] as const) {
      const error = await failing([[path, stated]], { onSourceError: 'Skip' });
      expect(error).to.include({ code: 'SourceMismatch', retryable: true });
      expect(error.message).to.contain('cannot be removed');
      expect(harness.leftovers).to.deep.equal([0, 0]);
    }
  });
});

type Change = Partial<StatedFiles['task']> & {
  readonly urls?: readonly string[];
  readonly crc32?: readonly string[];
};

describe('the stated sizes of files', () => {
  function sizesOf(sizes: readonly (number | undefined)[], change: Change = {}): StatedSizes {
    const { urls = [], crc32: crc = [], ...choices } = change;
    const files = sizes.map((size, n) => ({
      url: urls[n] ?? 'https://a/',
      filename: `${n}`,
      ...defined({ size, crc32: crc[n] }),
    }));
    return readStatedSizes({
      task: { compression: 'store', ...choices },
      files,
      names: { nameOf: (index) => `${index}` },
    });
  }

  it('are added if each file has one, up to the largest exact number', () => {
    expect(sizesOf([1, 0, 2]).fileBytes).to.equal(3);
    expect(sizesOf([1, undefined])).to.deep.equal({});
    expect(sizesOf([Number.MAX_SAFE_INTEGER]).fileBytes).to.equal(Number.MAX_SAFE_INTEGER);
    expect(sizesOf([Number.MAX_SAFE_INTEGER, 1])).to.deep.equal({});
  });

  it('give the exact size of the archive only if the form of each entry is known (SZ2)', () => {
    const whole = 22 + 30 + 9 + 1 + 46 + 9 + 1;
    for (const [what, sizes, change, archiveBytes] of [
      ['a small file', [7], {}, whole + 7],
      ['a data: URL', [undefined], { urls: ['data:,abc'] }, whole + 3],
      ['a large file', [LARGE], {}, whole + LARGE + 16 + 5 * 19],
      ['a large file with CRC-32', [LARGE], { crc32: [crc] }, whole + LARGE],
      ['a small object of a bucket', [7], { urls: ['s3://b/k'] }, whole + 7],
      ['a large object, which may have a CRC-32', [LARGE], { urls: ['s3://b/k'] }, undefined],
      ['a large object with CRC-32', [LARGE], { urls: ['s3://b/k'], crc32: [crc] }, whole + LARGE],
      ['compression', [7], { compression: 'auto' }, undefined],
      ['files that may be left out', [7], { onSourceError: 'Skip' }, undefined],
      ['a JSON manifest', [7], { manifestEntry: 'm.json' }, undefined],
      ['another manifest', [7], { manifestFormat: 'sha256sum' }, undefined],
    ] as const satisfies readonly (readonly [string, readonly (number | undefined)[], Change, unknown])[])
      expect(sizesOf(sizes, change).archiveBytes, what).to.equal(archiveBytes);
  });

  it('choose the parts for the archive, and never larger ones than those of the task (SZ3)', () => {
    function partMib(mostArchiveBytes: number | undefined): number {
      return statedPartSize(defined({ mostArchiveBytes }), { partSizeBytes: 1024 * MIB }) / MIB;
    }
    // As many as R2 takes of equal parts.
    const most = 10_000 * 5 * MIB;
    expect([1, most, most + 1, 2 ** 50, undefined].map(partMib)).to.deep.equal([5, 5, 8, 1024, 1024]);
  });
});
