/** Files of which an earlier pod has recorded where they are in the archive. */
import { expect } from 'chai';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { askedRange } from '#test/support/servers/asked-range.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import type { ContinuedFile, EntryRecord, FileRecord } from '#zipper-image/resume/types.ts';
import { createSlices } from './slices.ts';
import { failureOf, type Reader, readAll, withReader } from './source-harness.ts';

const BYTES = 400_000;
const CONTENT = generatedBytes(BYTES, 7);
const MODIFIED = 'Sat, 03 Feb 2001 04:05:06 GMT';

const entry: EntryRecord = {
  form: 'placed',
  method: 8,
  bytes: 1000,
  size: BYTES,
  compressedSize: BYTES,
  time: 0,
};
function recordOf(change: Partial<FileRecord> = {}): FileRecord {
  return { entry, lengthUnverified: false, contentEncoded: false, ...change };
}
const kept: ContinuedFile = { kind: 'kept', record: recordOf(), at: 0 };

/** A file with these headers that supports If-Range. */
function fileWith(headers: Readonly<Record<string, string>>): OriginRoute {
  return (_request, response, incoming) => {
    const asked = askedRange(incoming, BYTES);
    const condition = incoming.headers['if-range'];
    const isSame = condition === headers['etag'] || condition === headers['last-modified'];
    if (!asked || !isSame) {
      response.writeHead(200, { ...headers, 'content-length': BYTES }).end(CONTENT);
      return;
    }
    const { from, to } = asked;
    response
      .writeHead(206, {
        ...headers,
        'content-length': to - from,
        'content-range': `bytes ${from}-${to - 1}/${BYTES}`,
      })
      .end(CONTENT.subarray(from, to));
  };
}

describe('files of an earlier pod', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    const routes = {
      '/tagged': fileWith({ etag: '"v1"', 'last-modified': MODIFIED }),
      '/retagged': fileWith({ etag: '"v2"', 'last-modified': MODIFIED }),
      '/redated': fileWith({ etag: '"v1"', 'last-modified': 'Sun, 04 Feb 2001 04:05:06 GMT' }),
      '/dated': fileWith({ 'last-modified': MODIFIED }),
    };
    origin = await startFileOrigin({ routes });
  });
  afterEach(() => origin[Symbol.asyncDispose]());

  function requests(): readonly string[] {
    return origin.requests.map(({ path }) => path);
  }

  it('are not requested if they are kept, and stay in their order (G12)', async () => {
    const paths = Array.from({ length: 100 }, (_, index) => `/gen/1000/${index}`);
    const fresh = new Set([0, 50, 51, 99]);
    const continued = new Map(
      paths.flatMap((_, index) => (fresh.has(index) ? [] : [[index, kept] as const])),
    );
    await withReader(
      paths.map((path) => origin.url(path)),
      async (reader) => {
        const entries = await readAll(reader);
        expect(entries.map(({ index }) => index)).to.deep.equal([...paths.keys()]);
        for (const { index, bytes, continues, declaredLength } of entries) {
          expect(continues?.kind).to.equal(fresh.has(index) ? undefined : 'kept');
          expect(bytes.length).to.equal(fresh.has(index) ? 1000 : 0);
          expect(declaredLength).to.equal(fresh.has(index) ? 1000 : BYTES);
        }
        expect(reader.bytesRead).to.equal(4 * 1000 + 96 * BYTES);
        expect(reader.bytesKept).to.equal(96 * BYTES);
        expect(reader.known.summary()).to.include({ checked: 100, failed: 0 });
      },
      { continued },
    );
    expect(requests()).to.have.members([...fresh].map((index) => paths[index]));
  });

  it('are not requested when others are requested one after another (G12)', async () => {
    const urls = [0, 1, 2, 3, 4].map((index) => origin.url(`/gen/1000/${index}`));
    const continued = new Map([0, 2, 3].map((index) => [index, kept] as const));
    await withReader(urls, readAll, { continued, sequential: true });
    expect(requests()).to.deep.equal(['/gen/1000/1', '/gen/1000/4']);
  });

  it('are neither requested nor checked if they were left out (G12)', async () => {
    const record = { failure: { code: 'SourceNotFound', httpStatus: 404 }, lengthUnverified: false } as const;
    const continued = new Map([
      [0, { kind: 'kept', record: { ...record, contentEncoded: false }, at: 0 } as const],
    ]);
    await withReader(
      [origin.url('/gen/10/1'), origin.url('/gen/10/2')],
      async (reader) => {
        const [first, second] = await readAll(reader);
        expect(first?.failure).to.include({ code: 'SourceNotFound', httpStatus: 404, fileIndex: 0 });
        expect(second?.bytes.length).to.equal(10);
        await reader.checkOthers(new AbortController().signal);
        expect(reader.known.summary()).to.deep.include({
          checked: 2,
          failures: [{ fileIndex: 0, code: 'SourceNotFound', httpStatus: 404 }],
        });
      },
      { continued, reportFailures: true },
    );
    expect(requests()).to.deep.equal(['/gen/10/2']);
  });

  it('have the body that was fetched again (G12)', async () => {
    const body = generatedBytes(500, 1);
    const continued = new Map([[0, { kind: 'repeated', record: recordOf(), at: 0, body } as const]]);
    await withReader(
      [origin.url('/gen/500/1')],
      async (reader) => {
        const [first] = await readAll(reader);
        expect(first?.small).to.equal(body);
        expect(first?.bytes.equals(body)).to.equal(true);
        expect(reader.bytesRead).to.equal(500);
        expect(reader.bytesKept).to.equal(0);
      },
      { continued },
    );
    expect(requests()).to.deep.equal([]);
  });

  it('are compared with the CRC-32 of their exact header, which the job need not state (G12)', async () => {
    const record = recordOf({ entry: { ...entry, method: 0, headerCrc: 0xab } });
    const continued = new Map([[0, { kind: 'kept', record, at: 0 } as const]]);
    await withReader(
      [origin.url('/gen/10/1'), origin.url('/gen/10/2')],
      async (reader) => {
        const entries = await readAll(reader);
        expect(entries.map(({ stated }) => stated?.crc32)).to.deep.equal(['000000ab', undefined]);
      },
      { continued },
    );
  });

  /** Fills the gaps of one file. */
  function fillGaps(path: string, validator: string) {
    const slices = createSlices([
      { from: 0, to: 5000 },
      { from: 200_000, to: 200_001 },
      { from: 300_000, to: BYTES },
    ]);
    const continued = new Map([
      [0, { kind: 'ranges', record: recordOf({ validator }), at: 0, keptBytes: 294_999 } as const],
    ]);
    async function fill(reader: Reader): Promise<void> {
      for await (const { fill: fillSlices, body, validator: same } of reader.entries()) {
        expect(same).to.equal(validator);
        await fillSlices?.(slices, body);
      }
      expect(reader.bytesRead).to.equal(BYTES);
    }
    const settings = { sourceRetryLimitMs: 100 };
    return { slices, filled: withReader([origin.url(path)], fill, { continued, settings }) };
  }

  for (const [path, validator] of [
    ['/tagged', `"v1" ${MODIFIED}`],
    ['/dated', MODIFIED],
  ] as const)
    it(`are filled by ranges of the recorded version only (${path}, G12)`, async () => {
      const { slices, filled } = fillGaps(path, validator);
      await filled;
      for (const { from, bytes } of slices.all)
        expect(bytes.equals(CONTENT.subarray(from, from + bytes.length))).to.equal(true);
      expect(origin.requests.map(({ headers }) => headers['range'])).to.have.members([
        'bytes=0-4999',
        'bytes=200000-200000',
        `bytes=300000-${BYTES - 1}`,
      ]);
      const conditions = new Set(origin.requests.map(({ headers }) => headers['if-range']));
      expect([...conditions]).to.deep.equal([path === '/tagged' ? '"v1"' : MODIFIED]);
    });

  for (const path of ['/retagged', '/redated', '/gen/400000/7'])
    it(`fail if the source has another version now (${path}, G12)`, async () => {
      const { slices, filled } = fillGaps(path, `"v1" ${MODIFIED}`);
      expect(await failureOf(filled)).to.include({ code: 'SourceChanged', retryable: true });
      expect(slices.all.every(({ position, from }) => position === from)).to.equal(true);
    });

  it('record what identifies their bytes (G12)', async () => {
    const paths = ['/tagged', '/dated', '/gen/10/1'].map((path) => origin.url(path));
    await withReader(paths, async (reader) => {
      const entries = await readAll(reader);
      expect(entries.map(({ validator }) => validator)).to.deep.equal([
        `"v1" ${MODIFIED}`,
        MODIFIED,
        undefined,
      ]);
    });
  });
});
