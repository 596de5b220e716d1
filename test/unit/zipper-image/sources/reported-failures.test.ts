import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { failureOf, readAll, withReader } from './source-harness.ts';

const MIB = 1024 * 1024;
const body = randomBytes(3 * MIB);
const ONE_TRY = { sourceRetryLimitMs: 0 } as const;

describe('createSourceReader with reportFailures', () => {
  let origin: FileOrigin;
  before(async () => {
    origin = await startFileOrigin({
      routes: {
        '/good': (_request, response) => void response.end('good'),
        '/large': (_request, response) => void response.end(body),
        '/missing': (_request, response) => void response.writeHead(404).end('no'),
        '/cut': (_request, response) => {
          response.writeHead(200, { 'content-length': body.length });
          response.write(body.subarray(0, 100_000), () => response.destroy());
        },
        '/cut-late': (_request, response) => {
          response.writeHead(200, { 'content-length': 8 * MIB });
          response.write(body, () => response.destroy());
        },
      },
    });
  });
  after(() => origin[Symbol.asyncDispose]());

  function read(paths: readonly string[], sourceConcurrency: number) {
    return withReader(
      paths.map((path) => origin.url(path)),
      readAll,
      { settings: { ...ONE_TRY, sourceConcurrency }, reportFailures: true },
    );
  }

  for (const concurrency of [1, 2, 16])
    for (const [place, at] of [
      ['first', 0],
      ['in the middle', 2],
      ['last', 4],
    ] as const)
      it(`continues after a failed file (${place}) with concurrency ${concurrency}`, async () => {
        const paths = ['/good', '/large', '/good', '/large', '/good'];
        paths[at] = at === 2 ? '/cut' : '/missing';
        const entries = await read(paths, concurrency);
        expect(entries.map(({ index }) => index)).to.deep.equal([0, 1, 2, 3, 4]);
        expect(entries.flatMap(({ failure }) => failure?.code ?? [])).to.deep.equal([
          at === 2 ? 'SourceTruncated' : 'SourceNotFound',
        ]);
        for (const [index, { bytes, failure }] of entries.entries()) {
          const want = index === at ? '' : paths[index] === '/large' ? body : 'good';
          expect(bytes.equals(Buffer.from(want))).to.equal(true);
          expect(failure !== undefined).to.equal(index === at);
        }
      });

  it('reports every failure if all files fail', async () => {
    const entries = await read(['/missing', '/missing', '/cut'], 3);
    expect(entries.map(({ failure }) => failure?.code)).to.deep.equal([
      'SourceNotFound',
      'SourceNotFound',
      'SourceTruncated',
    ]);
  });

  it('throws an error after an entry was delivered', async () => {
    const error = await failureOf(read(['/good', '/cut-late', '/good'], 1));
    expect(error).to.include({ code: 'SourceTruncated', fileIndex: 1 });
  });
});
