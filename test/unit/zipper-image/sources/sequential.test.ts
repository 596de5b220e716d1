import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { bodyOf, type Reader, withReader } from './source-harness.ts';

const MIB = 1024 * 1024;
const BYTES = [3 * MIB, 1000, 3 * MIB, 0, 3 * MIB, 2000];

/** A URL that works only once, such as one with a one-time token. */
const once: OriginRoute = ({ seen, query }, response) => {
  const index = Number(query.get('file'));
  if (seen > 1) response.writeHead(410).end('already used');
  else response.writeHead(200).end(generatedBytes(BYTES[index] ?? 0, index));
};

describe('sources whose URLs work only once', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    origin = await startFileOrigin({ routes: { '/once': once } });
  });
  afterEach(() => origin[Symbol.asyncDispose]());

  /** Reads slowly, so that prefetched downloads would wait longer than the limit. */
  async function readSlowly(reader: Reader): Promise<readonly number[]> {
    const requestsAtEntry: number[] = [];
    for await (const entry of reader.entries()) {
      requestsAtEntry.push(origin.requests.length);
      await delay(60);
      const body = await bodyOf(entry);
      expect(body.equals(generatedBytes(BYTES[entry.index] ?? 0, entry.index))).to.equal(true);
    }
    return requestsAtEntry;
  }

  it('are requested exactly once, one after another, when sequential (F31)', async () => {
    const urls = BYTES.map((_, index) => origin.url(`/once?file=${index}`));
    const settings = { sourceBufferBytes: 4 * MIB, sourceParkedMaxMs: 20 };
    const requestsAtEntry = await withReader(urls, readSlowly, { settings, sequential: true });
    expect(requestsAtEntry).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(origin.requests).to.have.length(BYTES.length);
    expect(origin.peakRequests).to.equal(1);
  });

  it('are requested again only after a failure, when sequential (F31)', async () => {
    const urls = ['/flaky/1/503/1000/1', '/gen/1000/2'].map((path) => origin.url(path));
    await withReader(
      urls,
      async (reader) => {
        for await (const { body } of reader.entries()) for await (const _ of body);
      },
      { sequential: true },
    );
    expect(origin.requests.map(({ path }) => path)).to.deep.equal([
      '/flaky/1/503/1000/1',
      '/flaky/1/503/1000/1',
      '/gen/1000/2',
    ]);
  });
});
