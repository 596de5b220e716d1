/** Files whose size, checksums and media type are stated. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import type { Expectations } from '#crds/zip-job.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { failureOf, type HarnessOptions, readAll, withReader } from './source-harness.ts';

const MIB = 1024 * 1024;
const SMALL = 70_000;
const LARGE = 3 * MIB;

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function crc32Of(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, '0');
}

const OTHER_SHA256 = '0'.repeat(64);
const OTHER_CRC32 = '00000000';

/** Sends the bytes of seed 1 with these headers; without a length, the end of the last chunk ends the body. */
function typed(headers: Readonly<Record<string, string>>): OriginRoute {
  return (_request, response) => void response.writeHead(200, headers).end(generatedBytes(SMALL, 1));
}

/** Other bytes at the first request. */
const changing: OriginRoute = ({ seen }, response) =>
  void response.end(generatedBytes(SMALL, seen === 1 ? 9 : 1));

describe('a file with a stated', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    origin = await startFileOrigin({
      routes: {
        '/pdf': typed({ 'content-type': 'Application/PDF; name="a"' }),
        '/html': typed({ 'content-type': 'text/html' }),
        '/twice': typed({ 'content-type': 'text/html,Text/HTML , ;charset=utf-8' }),
        '/parameter': typed({ 'content-type': 'text/html; charset="\u00fc"' }),
        '/two': typed({ 'content-type': 'text/html, application/pdf' }),
        '/nonsense': typed({ 'content-type': 'a b' }),
        '/encoded': typed({ 'content-encoding': 'gzip', 'content-length': String(SMALL) }),
        '/changing': changing,
      },
    });
  });
  afterEach(() => origin[Symbol.asyncDispose]());

  function urlOf(path: string): string {
    return path.startsWith('data:') ? path : origin.url(path);
  }
  function read(path: string, stated: Expectations, options: HarnessOptions = {}) {
    return withReader([urlOf(path)], readAll, { ...options, files: [stated] });
  }
  function failureAt(path: string, stated: Expectations, options: HarnessOptions = {}) {
    return failureOf(read(path, stated, options));
  }
  function requests(): number {
    return origin.requests.length;
  }

  describe('size', () => {
    for (const [kind, path, bytes] of [
      ['declared, small', `/gen/${SMALL}/1`, SMALL],
      ['declared, streamed', `/gen/${LARGE}/1`, LARGE],
      ['empty', '/gen/0/1', 0],
      ['chunked, small', `/chunked/${SMALL}/1`, SMALL],
      ['chunked, streamed', `/chunked/${LARGE}/1`, LARGE],
      ['ended by the connection', `/close/${SMALL}/1`, SMALL],
      ['content-encoded', '/encoded', SMALL],
      ['redirected', `/hops/2/${SMALL}/1`, SMALL],
      ['resumed', `/cut/3/${LARGE}/1`, LARGE],
      ['resumed without a declared length', `/cut/3/${LARGE}/1?chunked`, LARGE],
      ['in a data: URL', 'data:,abc', 3],
    ] as const)
      it(`is accepted if it is right: ${kind} (FD10)`, async () => {
        const [entry] = await read(path, { size: bytes });
        expect(entry?.bytes.length).to.equal(bytes);
        // It counts as declared, so the entry needs no other format and is verified.
        expect(entry).to.include({ declaredLength: bytes, lengthUnverified: false });
      });

    for (const [kind, path] of [
      ['small', `/gen/${SMALL}/1`],
      ['streamed', `/gen/${LARGE}/1`],
      ['content-encoded', '/encoded'],
      ['in a data: URL', 'data:,abc'],
    ] as const)
      for (const size of [0, LARGE * 2])
        it(`fails at the head, at the first request, if another is declared: ${kind}, ${size} (FD10)`, async () => {
          const error = await failureAt(path, { size });
          expect(error).to.include({ code: 'SourceMismatch', retryable: false, fileIndex: 0 });
          expect(error.message).to.match(new RegExp(`it has \\d+ bytes instead of the stated ${size}$`));
          expect(requests()).to.equal(path.startsWith('data:') ? 0 : 1);
        });

    for (const [kind, path, bytes] of [
      ['chunked', `/chunked/${SMALL}/1`, SMALL],
      ['ended by the connection', `/close/${SMALL}/1`, SMALL],
    ] as const)
      for (const size of [bytes - 1, bytes + 1, 0])
        it(`fails if the body is another and the head declares none: ${kind}, ${size} (FD10)`, async () => {
          const error = await failureAt(path, { size });
          // Requested twice: it may have been cut off.
          expect(error).to.include({ code: 'SourceMismatch', retryable: false });
          expect(requests()).to.equal(2);
        });

    it('fails a resumed body whose whole size is another (FD10)', async () => {
      const error = await failureAt(`/cut/3/${LARGE}/1?chunked`, { size: LARGE + 1 });
      expect(error).to.include({ code: 'SourceMismatch' });
      expect(error.message).to.contain(`it has ${LARGE} bytes`);
    });

    it('fails an entry whose bytes were passed on, and another attempt may help (FD10)', async () => {
      for (const size of [LARGE + 1, LARGE - 1]) {
        const error = await failureAt(`/chunked/${LARGE}/1`, { size });
        expect(error).to.include({ code: 'SourceMismatch', retryable: true });
      }
      expect(requests()).to.equal(2);
    });

    it('makes a source acceptable that does not declare its length (FD10)', async () => {
      const settings = { sourceRefuseUnverified: true };
      const path = `/close/${SMALL}/1`;
      for (const stated of [
        { size: SMALL },
        { sha256: sha256Of(generatedBytes(SMALL, 1)) },
        { crc32: crc32Of(generatedBytes(SMALL, 1)) },
      ])
        expect(await read(path, stated, { settings })).to.have.length(1);
      expect((await failureAt(path, { contentType: 'text/plain' }, { settings })).code).to.match(/^Source/);
      expect((await failureAt(path, {}, { settings })).code).to.equal('SourceInvalid');
    });
  });

  describe('media type', () => {
    for (const [path, contentType] of [
      ['/pdf', 'application/pdf'],
      ['/pdf', 'APPLICATION/pdf;charset=utf-8'],
      ['/html', 'text/html'],
      ['/twice', 'text/html'],
      ['/parameter', 'text/html'],
      ['data:,abc', 'text/plain'],
      ['data:image/PNG;base64,YWJj', 'image/png'],
    ] as const)
      it(`is accepted if it is right: ${path}, ${contentType} (FD10)`, async () => {
        expect(await read(path, { contentType })).to.have.length(1);
      });

    for (const [path, contentType, found] of [
      ['/html', 'application/pdf', 'its media type is text/html'],
      ['/pdf', 'application/pdf-x', 'its media type is application/pdf'],
      ['/twice', 'application/pdf', 'its media type is text/html'],
      ['/two', 'application/pdf', 'it declares no valid media type'],
      ['/nonsense', 'application/pdf', 'it declares no valid media type'],
      [`/gen/${SMALL}/1`, 'application/octet-stream', 'it declares no valid media type'],
      ['data:,abc', 'text/html', 'its media type is text/plain'],
    ] as const)
      it(`fails at the head, at the first request, if it is another: ${path}, ${contentType} (FD10)`, async () => {
        const error = await failureAt(path, { contentType });
        expect(error).to.include({ code: 'SourceMismatch', retryable: false });
        expect(error.message).to.equal(`file 0: ${found} instead of the stated ${contentType}`);
        expect(requests()).to.equal(path.startsWith('data:') ? 0 : 1);
      });
  });

  describe('checksum', () => {
    function stated(bytes: Uint8Array): readonly Expectations[] {
      return [
        { sha256: sha256Of(bytes) },
        { sha256: sha256Of(bytes).toUpperCase(), crc32: crc32Of(bytes).toUpperCase() },
        { crc32: crc32Of(bytes) },
      ];
    }

    for (const [kind, path] of [
      ['declared', `/gen/${SMALL}/1`],
      ['chunked', `/chunked/${SMALL}/1/100`],
      ['ended by the connection', `/close/${SMALL}/1`],
      ['resumed', `/cut/3/${SMALL}/1`],
    ] as const)
      it(`accepts a small body if it is right: ${kind} (FD10)`, async () => {
        for (const one of stated(generatedBytes(SMALL, 1)))
          expect((await read(path, one))[0]?.bytes.length).to.equal(SMALL);
      });

    it('accepts a data: URL and an empty body if it is right (FD10)', async () => {
      for (const one of stated(Buffer.from('abc'))) expect(await read('data:,abc', one)).to.have.length(1);
      for (const one of stated(Buffer.alloc(0))) expect(await read('/gen/0/1', one)).to.have.length(1);
    });

    for (const [kind, one] of [
      ['SHA-256', { sha256: OTHER_SHA256, crc32: crc32Of(generatedBytes(SMALL, 1)) }],
      ['CRC-32', { sha256: sha256Of(generatedBytes(SMALL, 1)), crc32: OTHER_CRC32 }],
    ] as const)
      it(`fails a small body before it is passed on, after the same bytes came twice: ${kind} (FD10)`, async () => {
        const error = await failureAt(`/gen/${SMALL}/1`, one);
        expect(error).to.include({ code: 'SourceMismatch', retryable: false });
        expect(error.message).to.match(
          new RegExp(`^file 0: its ${kind} is [0-9a-f]+ instead of the stated 0+$`),
        );
        expect(requests()).to.equal(2);
      });

    it('fails a resumed body by its whole content (FD10)', async () => {
      const error = await failureAt(`/cut/1/${SMALL}/1`, { sha256: OTHER_SHA256 });
      expect(error).to.include({ code: 'SourceMismatch' });
      expect(error.message).to.contain(sha256Of(generatedBytes(SMALL, 1)));
    });

    it('fails a data: URL at once (FD10)', async () => {
      const error = await failureAt(
        'data:,abc',
        { crc32: OTHER_CRC32 },
        { settings: { sourceRetryBaseMs: 60_000 } },
      );
      expect(error).to.include({ code: 'SourceMismatch', retryable: false });
      expect(error.message).to.contain(crc32Of(Buffer.from('abc')));
    });

    it('accepts a body that was broken in transit and is right at the second request (FD10)', async () => {
      const [entry] = await read('/changing', { sha256: sha256Of(generatedBytes(SMALL, 1)) });
      expect(entry?.bytes.equals(generatedBytes(SMALL, 1))).to.equal(true);
      expect(requests()).to.equal(2);
    });

    it('requests a source once if URLs may work only once (FD10)', async () => {
      const error = await failureAt('/changing', { crc32: OTHER_CRC32 }, { sequential: true });
      expect(error).to.include({ code: 'SourceMismatch', retryable: false });
      expect(requests()).to.equal(1);
    });
  });

  it('that is wrong is reported in the entry, and the next files follow (FD10)', async () => {
    const good = origin.url(`/gen/${SMALL}/1`);
    const large = origin.url(`/gen/${LARGE}/1`);
    const files = [{ size: 1 }, {}, { contentType: 'image/png' }, { crc32: OTHER_CRC32 }, { size: SMALL }];
    const entries = await withReader([large, good, good, good, good], readAll, {
      files,
      reportFailures: true,
    });
    expect(entries.map(({ failure, bytes }) => failure?.code ?? bytes.length)).to.deep.equal([
      'SourceMismatch',
      SMALL,
      'SourceMismatch',
      'SourceMismatch',
      SMALL,
    ]);
  });
});
